package strictyaml

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// shape is the information of a struct type's tags. It is read once per type.
type shape struct {
	fields []structField
	byKey  map[string]int
	former map[string]string // current keys by former ones
}

type structField struct {
	key      string
	index    []int
	required bool
	mergeKey string       // the merge key of a list's elements, or empty
	quotable bool         // a number that may be given as a string
	unquoted bool         // a string that may be given as a number
	kind     reflect.Kind // the kind that the field's type points to
}

// accepts reports whether a value is of the field's kind: a former key may have had another kind.
func (f structField) accepts(value *yaml.Node) bool {
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
	s.add(t, nil)
	known, _ := shapes.LoadOrStore(t, s)
	return known.(*shape)
}

// add adds the fields of a struct type that is at index in the shape's type.
func (s *shape) add(t reflect.Type, index []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(slices.Clone(index), i)
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && key == "" {
			s.add(f.Type, at)
		}
		if key == "" || key == "-" {
			continue
		}
		kind := f.Type.Kind()
		if kind == reflect.Pointer {
			kind = f.Type.Elem().Kind()
		}
		s.byKey[key] = len(s.fields)
		s.fields = append(s.fields, structField{
			key: key, index: at, required: f.Tag.Get("required") == "true", mergeKey: f.Tag.Get("patchMergeKey"), kind: kind,
			quotable: f.Tag.Get("quotable") == "true", unquoted: f.Tag.Get("unquoted") == "true",
		})
		for _, old := range strings.FieldsFunc(f.Tag.Get("aliases"), func(r rune) bool { return r == ',' }) {
			s.former[old] = key
		}
	}
}

func (s *shape) keys() []string {
	keys := make([]string, len(s.fields))
	for i, f := range s.fields {
		keys[i] = f.key
	}
	return keys
}

// list lists the keys after an introduction. It returns "" if they are too many to read.
func (s *shape) list(introduction string) string {
	const most = 12
	if len(s.fields) > most {
		return ""
	}
	quoted := make([]string, len(s.fields))
	for i, key := range s.keys() {
		quoted[i] = strconv.Quote(key)
	}
	return introduction + strings.Join(quoted, ", ")
}

// maxUnknown is the highest number of reported unknown keys of a mapping: each is compared with all known ones.
const maxUnknown = 100

func (d *decoder) structure(node *yaml.Node, at path, target reflect.Value) {
	s := shapeOf(target.Type())
	if node.Kind != yaml.MappingNode {
		d.mistyped(&at, node, "must be a mapping%s, not %s", s.list(" with "))
		return
	}
	given := make([]bool, len(s.fields))
	type entry struct{ key, value *yaml.Node }
	var others []entry
	for key, value := range d.entries(node, &at) {
		if n, known := s.byKey[key.Value]; known {
			d.field(s.fields[n], &path{parent: &at, key: key.Value}, value, target)
			given[n] = !isNull(value)
		} else {
			others = append(others, entry{key, value})
		}
	}
	for i, e := range others {
		if i == maxUnknown {
			d.report(RuleUnknown, &at, node, "has %d other unknown keys: only the first %d are reported", len(others)-i, i)
			break
		}
		problem := d.unknown(s, &path{parent: &at, key: e.key.Value}, e.key)
		n, meant := s.byKey[problem.ReplacedBy]
		if !meant || given[n] || !s.fields[n].accepts(e.value) {
			problem.ReplacedBy, problem.Proposed = "", nil // the new key alone would not fix it
			continue
		}
		d.field(s.fields[n], &path{parent: &at, key: e.key.Value}, e.value, target)
		given[n] = true
	}
	for n, f := range s.fields {
		if f.required && !given[n] {
			d.report(RuleRequired, &path{parent: &at, key: f.key}, node, "must be set")
		}
	}
}

// field decodes a value into the field of its key. A required string must not be empty.
func (d *decoder) field(f structField, at *path, value *yaml.Node, target reflect.Value) {
	if f.quotable {
		value = d.unquoted(value, at)
	}
	if f.unquoted {
		value = d.quoted(value, at)
	}
	d.value(value, *at, target.FieldByIndex(f.index))
	if f.required && isEmpty(value) {
		d.report(RuleRequired, at, value, "must not be empty")
	}
	if f.mergeKey != "" && value.Kind == yaml.SequenceNode {
		d.mergeKeys(value, at, f.mergeKey)
	}
}

// unknown reports an unknown key, with the likely correction.
func (d *decoder) unknown(s *shape, at *path, node *yaml.Node) *Problem {
	keys := s.keys()
	if d.patch {
		keys = append(keys, directives...)
	}
	var hint, certain string
	nearest, sure := Nearest(at.key, keys)
	switch current, isFormer := s.former[at.key]; {
	case isFormer:
		hint, certain = fmt.Sprintf("it is called %q today", current), current
	case nearest != "":
		hint = fmt.Sprintf("did you mean %q?", nearest)
		if sure {
			certain = nearest
		}
	default:
		hint = cmp.Or(s.list("must be one of "), "remove it")
	}
	problem := d.report(RuleUnknown, at, node, "unknown key %q: %s", shortened(at.key), hint)
	if certain != "" {
		problem.Proposed, problem.ReplacedBy = certain, certain
	}
	return problem
}
