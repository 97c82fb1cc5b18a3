// Package decode turns a YAML tree into Go structs, strictly, and tells everything that does not fit at once.
//
// The structs carry `json` tags for the keys, `was` tags with the keys' former names (comma-separated), and
// `required:"true"` where a value must be given. Null means absent, as it does for the vendor's loader. Of duplicate
// keys the first is decoded and the others are problems.
package decode

import (
	"fmt"
	"reflect"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Problem is one thing that does not fit.
type Problem struct {
	// Rule is the id of the broken rule: one of the Rule constants.
	Rule string
	// Severity is an error, or a warning where nothing is lost.
	Severity krm.Severity
	// Path is the field, below the path that Into was given.
	Path krm.Path
	// Message says what must hold and what to do.
	Message string
	// Proposed is the value or key that is certain to be meant, else nil.
	Proposed any
}

// The rules that a tree must keep to be decoded.
const (
	RuleType      = "type"
	RuleUnknown   = "unknown-key"
	RuleDuplicate = "duplicate-key"
	RuleRequired  = "required"
	RuleAmbiguous = "ambiguous-yaml"
)

// Into decodes node into target, a pointer to a struct. Problems are in document order and carry paths below base.
func Into(node *yaml.Node, base krm.Path, target any) []Problem {
	d := decoder{}
	d.value(node, place{base: base}, reflect.ValueOf(target).Elem())
	return d.problems
}

// place is a path that is only written out when a problem needs it.
type place struct {
	parent *place
	base   krm.Path
	key    string
	index  int
}

func (p *place) path() krm.Path {
	switch {
	case p.parent == nil:
		return p.base
	case p.key == "":
		return p.parent.path().Index(p.index)
	default:
		return p.parent.path().Key(p.key)
	}
}

type decoder struct{ problems []Problem }

func (d *decoder) report(rule string, at *place, format string, args ...any) {
	d.problems = append(d.problems,
		Problem{Rule: rule, Severity: krm.Error, Path: at.path(), Message: fmt.Sprintf(format, args...)})
}

func (d *decoder) value(node *yaml.Node, at place, target reflect.Value) {
	for node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if isNull(node) {
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
		d.value(element, place{parent: &at, index: i}, list.Index(i))
	}
	target.Set(list)
}

func (d *decoder) dictionary(node *yaml.Node, at place, target reflect.Value) {
	if node.Kind != yaml.MappingNode {
		d.report(RuleType, &at, "must be a mapping, not %s", describe(node))
		return
	}
	entries := reflect.MakeMapWithSize(target.Type(), len(node.Content)/2)
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i].Value
		below := place{parent: &at, key: key}
		if entries.MapIndex(reflect.ValueOf(key)).IsValid() {
			d.report(RuleDuplicate, &below, "must be given once: key %q is repeated", key)
			continue
		}
		entry := reflect.New(target.Type().Elem()).Elem()
		d.value(node.Content[i+1], below, entry)
		entries.SetMapIndex(reflect.ValueOf(key), entry)
	}
	target.Set(entries)
}

func (d *decoder) scalar(node *yaml.Node, at place, target reflect.Value) {
	switch target.Kind() {
	case reflect.String:
		d.text(node, at, target)
	case reflect.Bool:
		flag, err := strconv.ParseBool(node.Value)
		if node.ShortTag() != "!!bool" || err != nil {
			d.report(RuleType, &at, "must be true or false, not %s", describe(node))
			return
		}
		target.SetBool(flag)
	case reflect.Int:
		number, err := strconv.Atoi(node.Value)
		if node.ShortTag() != "!!int" || err != nil {
			d.report(RuleType, &at, "must be a whole number, not %s", describe(node))
			return
		}
		target.SetInt(int64(number))
	default:
		panic("decode: no rule for " + target.Type().String())
	}
}

func (d *decoder) text(node *yaml.Node, at place, target reflect.Value) {
	switch {
	case node.Kind != yaml.ScalarNode:
		d.report(RuleType, &at, "must be a string, not %s", describe(node))
	case node.ShortTag() == "!!timestamp":
		d.report(RuleAmbiguous, &at, "%q is a date to some YAML readers: quote it", node.Value)
		d.problems[len(d.problems)-1].Severity = krm.Warning
		target.SetString(node.Value)
	case node.ShortTag() != "!!str":
		d.report(RuleType, &at, "must be a string, not %s: quote it", describe(node))
	case node.Style == 0 && readersDisagree(node.Value):
		d.report(RuleAmbiguous, &at, "%q is not a string to some YAML readers: quote it", node.Value)
		target.SetString(node.Value)
	default:
		target.SetString(node.Value)
	}
}
