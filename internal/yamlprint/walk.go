// Package yamlprint prints typed Kubernetes objects: as the YAML that reviewers read, and as canonical JSON to take hashes
// of. It is for programs that print tens of thousands of objects: sigs.k8s.io/yaml needs ten to twenty times as long,
// since it goes through JSON, a tree and go-yaml.
//
//	text := yamlprint.AppendYAML(nil, &batchv1.Job{…})
//
// Both forms have the same content, which is that of encoding/json with three differences, none of which changes what a
// reader decodes: keys are sorted, a nil value is left out whatever its tag says (`creationTimestamp: null`), and so is a
// struct without content that is no pointer (`status: {}`, `resources: {}`). An environment variable without a source
// shows its value even if that is empty: a reviewer should see that it is set.
//
// Fields are those of the types of k8s.io/api: json tags without the option string, maps with keys of type string,
// strings that are UTF-8. Trees of map[string]any, []any, string, int64, float64 and bool are printed too.
package yamlprint

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// field is a field of a struct, or of one that is embedded in it.
type field struct {
	key       string
	index     []int
	omitEmpty bool
	source    int // of the value of an environment variable: the field that stands in for it, else 0
}

var (
	structs     sync.Map // reflect.Type to []field, sorted by key
	marshaler   = reflect.TypeFor[json.Marshaler]()
	variable    = reflect.TypeFor[corev1.EnvVar]()
	quantity    = reflect.TypeFor[resource.Quantity]()
	intOrString = reflect.TypeFor[intstr.IntOrString]()
	byteSlice   = reflect.TypeFor[[]byte]()
)

func fieldsOf(t reflect.Type) []field {
	if known, ok := structs.Load(t); ok {
		return known.([]field)
	}
	fields := flatten(t, nil)
	slices.SortFunc(fields, func(a, b field) int { return cmp.Compare(a.key, b.key) })
	structs.Store(t, fields)
	return fields
}

func flatten(t reflect.Type, parent []int) (fields []field) {
	for i := range t.NumField() {
		f := t.Field(i)
		key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		index := append(slices.Clone(parent), i)
		switch {
		case f.Anonymous && key == "" && f.Type.Kind() == reflect.Struct:
			fields = append(fields, flatten(f.Type, index)...)
		case key == "-" || !f.IsExported():
		default:
			fields = append(fields, field{key: cmp.Or(key, f.Name), index: index, omitEmpty: strings.Contains(options, "omitempty")})
		}
		if t == variable && key == "value" {
			source, _ := t.FieldByName("ValueFrom")
			fields[len(fields)-1].source = source.Index[0]
		}
	}
	return fields
}

// entry is one field of a mapping that is printed.
type entry struct {
	key   string
	value reflect.Value // resolved
}

// printer holds the entries of the mappings that are being printed, outer ones first.
type printer struct {
	open []entry
	out  []byte
}

var printers = sync.Pool{New: func() any { return new(printer) }}

// printed calls write with a printer that appends to dst.
func printed(dst []byte, object any, write func(p *printer, v reflect.Value)) []byte {
	p := printers.Get().(*printer)
	p.out = dst
	write(p, resolve(reflect.ValueOf(object)))
	dst, p.out = p.out, nil
	printers.Put(p)
	return dst
}

// enter opens a struct or map: p.open[from:to] are its entries, sorted by key, until leave(from).
func (p *printer) enter(v reflect.Value) (from, to int) {
	from = len(p.open)
	if v.Kind() == reflect.Struct {
		p.structEntries(v)
		return from, len(p.open)
	}
	if texts, ok := v.Interface().(map[string]string); ok { // labels, annotations and data, most of what is printed
		for key, text := range texts {
			p.open = append(p.open, entry{key, reflect.ValueOf(text)})
		}
	} else {
		for field := v.MapRange(); field.Next(); {
			if value := field.Value(); !isAbsent(value, false) {
				p.open = append(p.open, entry{field.Key().String(), resolve(value)})
			}
		}
	}
	slices.SortFunc(p.open[from:], func(a, b entry) int { return strings.Compare(a.key, b.key) })
	return from, len(p.open)
}

func (p *printer) leave(from int) {
	clear(p.open[from:])
	p.open = p.open[:from]
}

func (p *printer) structEntries(v reflect.Value) {
	for _, f := range fieldsOf(v.Type()) {
		value := v.Field(f.index[0])
		for _, i := range f.index[1:] {
			value = value.Field(i)
		}
		if omitEmpty := f.omitEmpty && (f.source == 0 || !v.Field(f.source).IsNil()); !isAbsent(value, omitEmpty) {
			p.open = append(p.open, entry{f.key, resolve(value)})
		}
	}
}

func isAbsent(v reflect.Value, omitEmpty bool) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.IsNil() || omitEmpty && v.Len() == 0
	case reflect.Pointer, reflect.Interface:
		return v.IsNil()
	case reflect.Struct:
		return v.IsZero() && v.Type() != quantity && v.Type() != intOrString // both are 0 then, which is something
	default:
		return omitEmpty && v.IsZero()
	}
}

// resolve follows pointers and interfaces, and replaces a value that has its own JSON by what that says. The result is a
// struct, map, slice, string, bool or number, or not valid where there is none.
func resolve(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Struct, reflect.Slice:
		if !hasOwnJSON(v.Type()) {
			break
		}
		var plain any
		if err := json.Unmarshal(marshalled(v), &plain); err != nil {
			panic("yamlprint: " + err.Error()) // encoding/json has just written it
		}
		return resolve(reflect.ValueOf(plain))
	}
	return v
}

var ownJSON sync.Map // reflect.Type to bool

func hasOwnJSON(t reflect.Type) bool {
	own, known := ownJSON.Load(t)
	if !known {
		own = t == byteSlice || t.Kind() == reflect.Struct && t.Implements(marshaler)
		ownJSON.Store(t, own)
	}
	return own.(bool)
}

func marshalled(v reflect.Value) []byte {
	text, err := json.Marshal(v.Interface())
	if err != nil {
		panic("yamlprint: " + err.Error()) // of Kubernetes' types none fails
	}
	return text
}
