// Package strictyaml decodes YAML trees into Go structs and reports all problems, not only the first.
//
// Into decodes a tree. The target's structs have `json` tags for the keys, `aliases` tags with the keys' former names
// (comma-separated), `required:"true"` if a value must be set and a string must not be empty, `quotable:"true"` if a
// string of digits is accepted as a number, and `unquoted:"true"` if a number is accepted as the string that it is
// written as, both with a warning. Fields are strings, bools, ints, structs, pointers to them, lists of them, maps of
// strings to them, and json.RawMessage or any for values of any type. Null means absent, as in Signadot's own loader.
// Of duplicate keys the first one is decoded and the others are problems. A value under a former key, or under a key in
// the wrong case, is also decoded if the current key is absent, so that its problems are found in the same run.
//
// IntoObject and IntoPatch decode Kubernetes objects and patches of them, which Kubernetes reads as YAML 1.1. Parse
// reads the tree of a text. Expand expands aliases and merge keys. Every Problem has a Path and a message, and those of
// decoding have a rule. Digest hashes a document.
//
// It imports go-yaml only, since the unpacker links it.
package strictyaml

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/pkg/krm/field"
)

// MaxAliased is the highest number of values to which aliases of a tree may expand: a few lines can become billions.
const MaxAliased = 100_000

// MaxAliasedText is the length of text, in bytes, to which aliases of a tree may expand.
const MaxAliasedText = 4 << 20

// MaxDepth is the highest nesting of lists and mappings: types may be recursive.
const MaxDepth = 100

// The rules for trees that are decoded.
const (
	RuleType      = "type"
	RuleUnknown   = "unknown-key"
	RuleDuplicate = "duplicate-key"
	RuleRequired  = "required"
	RuleAmbiguous = "ambiguous-yaml"
	RuleQuoted    = "quoted-number"
	RuleUnquoted  = "unquoted-string"
	RuleAlias     = "alias"
	RuleDepth     = "depth"
)

// Into decodes node into target, a pointer to a struct. Problems are in document order, those of aliases first, with
// paths below base. A field whose value has the wrong type is not changed. Into panics if target has a field of an
// unsupported type.
func Into(node *yaml.Node, base field.Path, target any) []Problem {
	_, problems := into(&decoder{}, node, base, target)
	return problems
}

func into(d *decoder, node *yaml.Node, base field.Path, target any) (*yaml.Node, []Problem) {
	if node != nil && node.Kind == yaml.DocumentNode && len(node.Content) == 1 {
		node = node.Content[0]
	}
	if node == nil {
		return nil, nil
	}
	node = d.expand(node, base)
	d.value(node, path{base: base}, reflect.ValueOf(target).Elem())
	return node, d.problems
}

// path is a path that is only formatted for a problem.
type path struct {
	parent *path
	base   field.Path
	key    string
	list   bool // an element of a list, at index
	index  int
	merged bool // the value of a merge key, reported at the mapping that has the key
	depth  int  // of the value at the path; only counted while values are decoded
}

func (p *path) full() field.Path {
	switch {
	case p.parent == nil:
		return p.base
	case p.list:
		return p.parent.full().Index(p.index)
	default:
		return p.parent.full().Key(p.key)
	}
}

type decoder struct {
	problems []Problem
	object   bool // a Kubernetes object is decoded
	patch    bool // that is a strategic merge patch
}

// report adds a problem of a node, which is the value at the path, its key or the mapping without the key.
func (d *decoder) report(rule string, at *path, node *yaml.Node, format string, args ...any) *Problem {
	problem := Problem{Rule: rule, Severity: SeverityError, Path: at.full(), Message: fmt.Sprintf(format, args...)}
	if d.object {
		problem.Line = node.Line
	}
	d.problems = append(d.problems, problem)
	return &d.problems[len(d.problems)-1]
}

// mistyped reports a value that has the wrong type for a field.
func (d *decoder) mistyped(at *path, node *yaml.Node, format string, args ...any) {
	d.report(RuleType, at, node, format, append(args, describe(node))...).Found = node.Kind
}

// nulls are the spellings of null.
var nulls = []string{"", "~", "null", "Null", "NULL"}

func (d *decoder) value(node *yaml.Node, at path, target reflect.Value) {
	switch {
	case node.Kind == yaml.AliasNode:
		return // Expand has reported an alias that is left
	case isNull(node) && !slices.Contains(nulls, node.Value):
		d.report(RuleAmbiguous, &at, node, "%q is null to some YAML readers: remove the tag !!null", node.Value)
		return
	case isNull(node):
		return
	}
	if at.parent != nil {
		at.depth = at.parent.depth + 1
	}
	if at.depth > MaxDepth {
		d.report(RuleDepth, &at, node, "must not be nested in more than %d lists and mappings", MaxDepth)
		return
	}
	if d.object && d.special(node, &at, target) {
		return
	}
	if target.Type() == rawMessage {
		d.raw(node, &at, target)
		return
	}
	switch target.Kind() {
	case reflect.Pointer:
		fresh := reflect.New(target.Type().Elem())
		d.value(node, at, fresh.Elem())
		target.Set(fresh)
	case reflect.Struct:
		d.structure(node, at, target)
	case reflect.Slice:
		d.list(node, at, target)
	case reflect.Map:
		d.dictionary(node, at, target)
	case reflect.Interface:
		d.any(node, &at, target)
	default:
		d.scalar(node, at, target)
	}
}

// rawMessage is the type of fields that hold a value of any type, as JSON.
var rawMessage = reflect.TypeFor[json.RawMessage]()

func (d *decoder) raw(node *yaml.Node, at *path, target reflect.Value) {
	text, err := yamlprint.EncodeJSON(node)
	if err != nil {
		d.report(RuleType, at, node, "must be a value of JSON: %v", strings.ReplaceAll(err.Error(), "\n", " "))
		return
	}
	target.SetBytes(bytes.TrimSpace(text))
}

// any decodes a value of any type: mappings, lists and scalars.
func (d *decoder) any(node *yaml.Node, at *path, target reflect.Value) {
	switch node.Kind {
	case yaml.MappingNode:
		values := map[string]any{}
		d.dictionary(node, *at, reflect.ValueOf(&values).Elem())
		target.Set(reflect.ValueOf(values))
	case yaml.SequenceNode:
		var values []any
		d.list(node, *at, reflect.ValueOf(&values).Elem())
		target.Set(reflect.ValueOf(values))
	default:
		var value any
		if err := node.Decode(&value); err != nil {
			d.mistyped(at, node, "must be a value of JSON, not %s")
			return
		}
		target.Set(reflect.ValueOf(value))
	}
}

func (d *decoder) list(node *yaml.Node, at path, target reflect.Value) {
	if node.Kind != yaml.SequenceNode {
		d.mistyped(&at, node, "must be a list, not %s")
		return
	}
	list := reflect.MakeSlice(target.Type(), len(node.Content), len(node.Content))
	for i, element := range node.Content {
		below := path{parent: &at, list: true, index: i}
		d.notNull(element, &below)
		d.value(element, below, list.Index(i))
	}
	target.Set(list)
}

func (d *decoder) dictionary(node *yaml.Node, at path, target reflect.Value) {
	if node.Kind != yaml.MappingNode {
		d.mistyped(&at, node, "must be a mapping, not %s")
		return
	}
	values := reflect.MakeMapWithSize(target.Type(), len(node.Content)/2)
	for key, valueNode := range d.entries(node, &at) {
		below := path{parent: &at, key: key.Value}
		if isOldBoolean(key) {
			d.report(RuleAmbiguous, &below, key, "key %q is a boolean to some YAML readers: quote it", key.Value)
		}
		d.notNull(valueNode, &below)
		value := reflect.New(target.Type().Elem()).Elem()
		d.value(valueNode, below, value)
		values.SetMapIndex(reflect.ValueOf(key.Value).Convert(target.Type().Key()), value)
	}
	target.Set(values)
}

// notNull reports a null in a list or a map of an object: Kubernetes reads it as an empty value.
func (d *decoder) notNull(node *yaml.Node, at *path) {
	if d.object && !d.patch && isNull(node) {
		d.report(RuleRequired, at, node, "must not be null: remove it or fill it in")
	}
}

// entries iterates over the keys of a mapping with their values, without duplicates. Duplicate keys, and keys that are
// not strings, are problems.
func (d *decoder) entries(mapping *yaml.Node, at *path) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		seen := make(map[string]bool, len(mapping.Content)/2)
		for i := 0; i+1 < len(mapping.Content); i += 2 {
			switch key := mapping.Content[i]; {
			case key.Kind != yaml.ScalarNode || isNull(key) || d.object && key.ShortTag() != "!!str":
				d.mistyped(at, key, "must have strings as keys, not %s")
			case d.patch && isDirective(key.Value):
			case seen[key.Value]:
				d.report(RuleDuplicate, &path{parent: at, key: key.Value}, key,
					"must be given once: key %q is repeated", shortened(key.Value))
			default:
				seen[key.Value] = true
				if !yield(key, mapping.Content[i+1]) {
					return
				}
			}
		}
	}
}
