package strictyaml

import (
	"reflect"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// shape is what the tags of a struct say: read once a type.
type shape struct {
	fields []field
	byKey  map[string]int
	former map[string]string
}

type field struct {
	key      string
	index    []int
	required bool
	kind     reflect.Kind // what the field's type points to
}

// holds tells whether a value has the outer form that the field takes: a former key may have had another one.
func (f field) holds(value *yaml.Node) bool {
	if value.Kind == yaml.AliasNode && value.Alias != nil {
		value = value.Alias
	}
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
		for _, old := range strings.FieldsFunc(f.Tag.Get("was"), func(r rune) bool { return r == ',' }) {
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

func (d *decoder) structure(node *yaml.Node, at place, target reflect.Value) {
	s := shapeOf(target.Type())
	if node.Kind != yaml.MappingNode {
		d.report(RuleType, &at, "must be a mapping with %s, not %s", enumerate(s.keys()), describe(node))
		return
	}
	given := make([]bool, len(s.fields))
	var others []entry
	for _, e := range d.entries(node, &at) {
		if n, known := s.byKey[e.key.Value]; known {
			d.field(s.fields[n], e, &at, target)
			given[n] = !isNull(e.value)
		} else {
			others = append(others, e)
		}
	}
	for _, e := range others {
		problem := d.unknown(s, e.key.Value, &place{parent: &at, key: e.key.Value})
		n, meant := s.byKey[problem.ReplacedBy]
		if !meant || given[n] || !s.fields[n].holds(e.value) {
			problem.ReplacedBy, problem.Proposed = "", nil // a new key alone would not mend it
			continue
		}
		d.field(s.fields[n], e, &at, target)
		given[n] = true
	}
	for n, f := range s.fields {
		if f.required && !given[n] {
			d.report(RuleRequired, &place{parent: &at, key: f.key}, "must be set")
		}
	}
}

// field decodes an entry of a mapping into the field that it is for. A required string must not be empty.
func (d *decoder) field(f field, e entry, at *place, target reflect.Value) {
	below := place{parent: at, key: e.key.Value}
	d.value(e.value, below, target.FieldByIndex(f.index))
	if f.required && isEmpty(e.value) {
		d.report(RuleRequired, &below, "must not be empty")
	}
}

// unknown reports a key that no field has, with what is likely to be meant.
func (d *decoder) unknown(s *shape, key string, at *place) *Problem {
	shown := shortened(key)
	if today, ok := s.former[key]; ok {
		return d.renamed(today, at, "unknown key %q: it is called %q today", shown, today)
	}
	nearest, sure := Nearest(key, s.keys())
	switch {
	case sure:
		return d.renamed(nearest, at, "unknown key %q: did you mean %q?", shown, nearest)
	case nearest != "":
		return d.report(RuleUnknown, at, "unknown key %q: did you mean %q?", shown, nearest)
	default:
		return d.report(RuleUnknown, at, "unknown key %q: must be one of %s", shown, enumerate(s.keys()))
	}
}

func (d *decoder) renamed(today string, at *place, format string, args ...any) *Problem {
	problem := d.report(RuleUnknown, at, format, args...)
	problem.Proposed, problem.ReplacedBy = today, today
	return problem
}
