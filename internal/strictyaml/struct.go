package strictyaml

import (
	"reflect"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// shape is what the tags of a struct type say. It is read once.
type shape struct {
	fields []field
	byKey  map[string]int
	former map[string]string // the current key by a former one
}

type field struct {
	key      string
	index    []int
	required bool
	kind     reflect.Kind // what the field's type points to
}

// accepts reports whether a value is of the field's kind: a former key may have had another one.
func (f field) accepts(value *yaml.Node) bool {
	switch f.kind {
	case reflect.Struct, reflect.Map:
		return value.Kind == yaml.MappingNode
	case reflect.Slice:
		return value.Kind == yaml.SequenceNode
	default:
		return value.Kind == yaml.ScalarNode
	}
}

var shapes sync.Map // reflect.Type to *shape

func shapeOf(t reflect.Type) *shape {
	if known, ok := shapes.Load(t); ok {
		return known.(*shape)
	}
	s := &shape{byKey: map[string]int{}, former: map[string]string{}}
	for _, f := range reflect.VisibleFields(t) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if key == "" || key == "-" {
			continue
		}
		s.byKey[key] = len(s.fields)
		kind := f.Type.Kind()
		if kind == reflect.Pointer {
			kind = f.Type.Elem().Kind()
		}
		s.fields = append(s.fields, field{key: key, index: f.Index, required: f.Tag.Get("required") == "true", kind: kind})
		for _, old := range strings.FieldsFunc(f.Tag.Get("aliases"), func(r rune) bool { return r == ',' }) {
			s.former[old] = key
		}
	}
	known, _ := shapes.LoadOrStore(t, s)
	return known.(*shape)
}

func (s *shape) keys() []string {
	keys := make([]string, len(s.fields))
	for i, f := range s.fields {
		keys[i] = f.key
	}
	return keys
}

func (d *decoder) structure(node *yaml.Node, at path, target reflect.Value) {
	s := shapeOf(target.Type())
	if node.Kind != yaml.MappingNode {
		d.mistyped(&at, node, "must be a mapping with %s, not %s", enumerate(s.keys()))
		return
	}
	given := make([]bool, len(s.fields))
	type entry struct {
		key   string
		value *yaml.Node
	}
	var others []entry
	for key, value := range d.entries(node, &at) {
		if n, known := s.byKey[key.Value]; known {
			d.field(s.fields[n], &path{parent: &at, key: key.Value}, value, target)
			given[n] = !isNull(value)
		} else {
			others = append(others, entry{key.Value, value})
		}
	}
	for _, e := range others {
		problem := d.unknown(s, &path{parent: &at, key: e.key})
		n, meant := s.byKey[problem.ReplacedBy]
		if !meant || given[n] || !s.fields[n].accepts(e.value) {
			problem.ReplacedBy, problem.Proposed = "", nil // the new key alone would not fix it
			continue
		}
		d.field(s.fields[n], &path{parent: &at, key: e.key}, e.value, target)
		given[n] = true
	}
	for n, f := range s.fields {
		if f.required && !given[n] {
			d.report(RuleRequired, &path{parent: &at, key: f.key}, "must be set")
		}
	}
}

// field decodes a value into the field that its key names. A required string must not be empty.
func (d *decoder) field(f field, at *path, value *yaml.Node, target reflect.Value) {
	d.value(value, *at, target.FieldByIndex(f.index))
	if f.required && isEmpty(value) {
		d.report(RuleRequired, at, "must not be empty")
	}
}

// unknown reports a key that no field has, with the key that is likely to be meant.
func (d *decoder) unknown(s *shape, at *path) *Problem {
	key, shown := at.key, shortened(at.key)
	if current, ok := s.former[key]; ok {
		return d.replaced(current, at, "unknown key %q: it is called %q today", shown, current)
	}
	nearest, sure := Nearest(key, s.keys())
	switch {
	case sure:
		return d.replaced(nearest, at, "unknown key %q: did you mean %q?", shown, nearest)
	case nearest != "":
		return d.report(RuleUnknown, at, "unknown key %q: did you mean %q?", shown, nearest)
	default:
		return d.report(RuleUnknown, at, "unknown key %q: must be one of %s", shown, enumerate(s.keys()))
	}
}

func (d *decoder) replaced(by string, at *path, format string, args ...any) *Problem {
	problem := d.report(RuleUnknown, at, format, args...)
	problem.Proposed, problem.ReplacedBy = by, by
	return problem
}
