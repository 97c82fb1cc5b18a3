package rule

import (
	"reflect"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/decode"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// required: ResourcePlugin spec and Sandbox spec for each field. Package decode finds what is absent; an empty string is
// found here.
var required = Rule{
	ID: decode.RuleRequired, Severity: krm.Error,
	Demand:  "What the specification requires is given, and not empty.",
	Why:     "The server refuses the document.",
	Example: "spec.runner: {namespace: tools}",
}

// empties adds the required strings of a spec, a pointer to a struct, that are given and empty.
func empties(item *krm.Item, spec any, problems []decode.Problem) []decode.Problem {
	e := emptiness{root: item.Node(), problems: problems}
	e.look(reflect.ValueOf(spec).Elem(), &spot{key: "spec"})
	return e.problems
}

type emptiness struct {
	root     *yaml.Node
	problems []decode.Problem
}

func (e *emptiness) look(v reflect.Value, at *spot) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			e.look(v.Elem(), at)
		}
	case reflect.Slice:
		for i := range v.Len() {
			e.look(v.Index(i), &spot{parent: at, index: i})
		}
	case reflect.Struct:
		for _, f := range requiredFields(v.Type()) {
			switch field := v.Field(f.index); {
			case !f.text:
				e.look(field, &spot{parent: at, key: f.key})
			case field.Len() == 0:
				e.note((&spot{parent: at, key: f.key}).path())
			}
		}
	default: // holds no strings that are required
	}
}

// note adds a problem where the string is given; one that is not is package decode's.
func (e *emptiness) note(path krm.Path) {
	node, given := path.Find(e.root)
	if given && node.Kind == yaml.ScalarNode && node.ShortTag() == "!!str" && node.Value == "" {
		e.problems = append(e.problems,
			decode.Problem{Rule: decode.RuleRequired, Severity: krm.Error, Path: path, Message: "must not be empty"})
	}
}

// requiredField is a field that must not be an empty string, or that may hold such fields.
type requiredField struct {
	index int
	key   string
	text  bool
}

var fieldsOfTypes sync.Map // reflect.Type to []requiredField

// requiredFields reads the tags of a struct, once a type.
func requiredFields(t reflect.Type) []requiredField {
	if known, ok := fieldsOfTypes.Load(t); ok {
		return known.([]requiredField)
	}
	var fields []requiredField
	for i := range t.NumField() {
		f := t.Field(i)
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch f.Type.Kind() {
		case reflect.String:
			if f.Tag.Get("required") == "true" {
				fields = append(fields, requiredField{index: i, key: key, text: true})
			}
		case reflect.Struct, reflect.Pointer, reflect.Slice:
			fields = append(fields, requiredField{index: i, key: key})
		default: // holds no strings that are required
		}
	}
	known, _ := fieldsOfTypes.LoadOrStore(t, fields)
	return known.([]requiredField)
}

// spot is a path that is only written out when a finding needs it.
type spot struct {
	parent *spot
	key    string // empty for an element of a list
	index  int
}

func (s *spot) path() krm.Path {
	switch {
	case s.parent == nil:
		return krm.Path(s.key)
	case s.key == "":
		return s.parent.path().Index(s.index)
	default:
		return s.parent.path().Key(s.key)
	}
}
