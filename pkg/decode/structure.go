package decode

import (
	"fmt"
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
	seen := make([]bool, len(s.fields))
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, below := node.Content[i].Value, place{parent: &at, key: node.Content[i].Value}
		n, known := s.byKey[key]
		switch {
		case !known:
			d.unknown(s, key, &below)
		case seen[n]:
			d.report(RuleDuplicate, &below, "must be given once: key %q is repeated", key)
		default:
			seen[n] = true
			d.value(node.Content[i+1], below, target.FieldByIndex(s.fields[n].index))
			if s.fields[n].required && isNull(node.Content[i+1]) {
				seen[n] = false
			}
		}
	}
	for n, f := range s.fields {
		if f.required && !seen[n] {
			d.report(RuleRequired, &place{parent: &at, key: f.key}, "must be set")
		}
	}
}

// unknown reports a key that no field has, with what is likely to be meant.
func (d *decoder) unknown(s *shape, key string, at *place) {
	d.report(RuleUnknown, at, "unknown key %q", key)
	last := &d.problems[len(d.problems)-1]
	if today, ok := s.former[key]; ok {
		last.Message = fmt.Sprintf("unknown key %q: it is called %q today", key, today)
		last.Proposed = today
		return
	}
	if nearest, sure := Nearest(key, s.keys()); nearest != "" {
		last.Message = fmt.Sprintf("unknown key %q: did you mean %q?", key, nearest)
		if sure {
			last.Proposed = nearest
		}
		return
	}
	last.Message = fmt.Sprintf("unknown key %q: must be one of %s", key, enumerate(s.keys()))
}
