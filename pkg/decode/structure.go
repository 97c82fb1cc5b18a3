package decode

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
		s.fields = append(s.fields, field{key: key, index: f.Index, required: f.Tag.Get("required") == "true"})
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
	for _, e := range d.entries(node, &at) {
		below := place{parent: &at, key: e.key.Value}
		n, known := s.byKey[e.key.Value]
		if !known {
			d.unknown(s, e.key.Value, &below)
			continue
		}
		d.value(e.value, below, target.FieldByIndex(s.fields[n].index))
		given[n] = !isNull(e.value)
	}
	for n, f := range s.fields {
		if f.required && !given[n] {
			d.report(RuleRequired, &place{parent: &at, key: f.key}, "must be set")
		}
	}
}

// unknown reports a key that no field has, with what is likely to be meant.
func (d *decoder) unknown(s *shape, key string, at *place) {
	shown := shortened(key)
	if today, ok := s.former[key]; ok {
		d.report(RuleUnknown, at, "unknown key %q: it is called %q today", shown, today).Proposed = today
		return
	}
	nearest, sure := Nearest(key, s.keys())
	switch {
	case sure:
		d.report(RuleUnknown, at, "unknown key %q: did you mean %q?", shown, nearest).Proposed = nearest
	case nearest != "":
		d.report(RuleUnknown, at, "unknown key %q: did you mean %q?", shown, nearest)
	default:
		d.report(RuleUnknown, at, "unknown key %q: must be one of %s", shown, enumerate(s.keys()))
	}
}
