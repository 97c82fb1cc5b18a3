// Package strictyaml turns a YAML tree into Go structs, strictly, and tells everything that does not fit at once.
//
// The structs carry `json` tags for the keys, `was` tags with the keys' former names (comma-separated), and
// `required:"true"` where a value must be given, a string not empty. Fields are strings, bools, ints, structs, pointers
// to them, lists of them, and maps of strings to them. Null means absent, as it does for the vendor's loader. Of
// duplicate keys the first is decoded and the others are problems. A value under a former key, or under one in the wrong
// case, is decoded too where today's key is absent, so that all that is wrong is told at once. Aliases and merge keys
// are followed, up to MaxAliased values; values are followed down to MaxDepth.
package strictyaml

import (
	"fmt"
	"reflect"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// MaxAliased is how many values of a document may be reached through aliases: a few lines can mean billions.
const MaxAliased = 100_000

// MaxDepth is how many lists and mappings may stand in each other: types that hold themselves have no end of their own.
const MaxDepth = 100

// The rules that a tree must keep to be decoded.
const (
	RuleType      = "type"
	RuleUnknown   = "unknown-key"
	RuleDuplicate = "duplicate-key"
	RuleRequired  = "required"
	RuleAmbiguous = "ambiguous-yaml"
	RuleAlias     = "alias"
	RuleDepth     = "depth"
)

// Into decodes node into target, a pointer to a struct. Problems are in document order and carry paths below base. A
// field whose value does not fit keeps what it had. Into panics on a target that it has no rule for.
func Into(node *yaml.Node, base krm.Path, target any) []Problem {
	if node != nil && node.Kind == yaml.DocumentNode && len(node.Content) == 1 {
		node = node.Content[0]
	}
	if node == nil {
		return nil
	}
	d := decoder{}
	d.value(node, place{base: base}, reflect.ValueOf(target).Elem())
	return d.problems
}

// place is a path that is only written out when a problem needs it.
type place struct {
	parent *place
	base   krm.Path
	key    string
	list   bool // an element of a list, at index
	index  int
	depth  int // of what stands here; only counted where values are decoded
}

func (p *place) path() krm.Path {
	switch {
	case p.parent == nil:
		return p.base
	case p.list:
		return p.parent.path().Index(p.index)
	default:
		return p.parent.path().Key(p.key)
	}
}

type decoder struct {
	problems []Problem
	aliases  aliases
}

func (d *decoder) report(rule string, at *place, format string, args ...any) *Problem {
	d.problems = append(d.problems,
		Problem{Rule: rule, Severity: krm.Error, Path: at.path(), Message: fmt.Sprintf(format, args...)})
	return &d.problems[len(d.problems)-1]
}

func (d *decoder) value(node *yaml.Node, at place, target reflect.Value) {
	if node.Kind == yaml.AliasNode {
		node = d.enter(node, &at)
		if node == nil {
			return
		}
		defer d.leave(node)
	}
	if isNull(node) || !d.count(&at) {
		return
	}
	if at.parent != nil {
		at.depth = at.parent.depth + 1
	}
	if at.depth > MaxDepth {
		d.report(RuleDepth, &at, "must not stand in more than %d lists and mappings", MaxDepth)
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
	default:
		d.scalar(node, at, target)
	}
}

func (d *decoder) list(node *yaml.Node, at place, target reflect.Value) {
	if node.Kind != yaml.SequenceNode {
		d.report(RuleType, &at, "must be a list, not %s", describe(node))
		return
	}
	list := reflect.MakeSlice(target.Type(), len(node.Content), len(node.Content))
	for i, element := range node.Content {
		d.value(element, place{parent: &at, list: true, index: i}, list.Index(i))
	}
	target.Set(list)
}

func (d *decoder) dictionary(node *yaml.Node, at place, target reflect.Value) {
	if node.Kind != yaml.MappingNode {
		d.report(RuleType, &at, "must be a mapping, not %s", describe(node))
		return
	}
	values := reflect.MakeMapWithSize(target.Type(), len(node.Content)/2)
	for _, e := range d.entries(node, &at) {
		below := place{parent: &at, key: e.key.Value}
		if e.key.Style == 0 && isOldBoolean(e.key.Value) {
			d.report(RuleAmbiguous, &below, "key %q is a boolean to some YAML readers: quote it", e.key.Value)
		}
		key := reflect.ValueOf(e.key.Value).Convert(target.Type().Key())
		value := reflect.New(target.Type().Elem()).Elem()
		d.value(e.value, below, value)
		values.SetMapIndex(key, value)
	}
	target.Set(values)
}
