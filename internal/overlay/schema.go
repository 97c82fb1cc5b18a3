package overlay

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// kind is what a value of a type looks like in a document.
type kind int

const (
	text        kind = iota
	boolean          // true or false
	int32Kind        // a whole number of 32 bits
	int64Kind        // a whole number of 64 bits
	quantity         // an amount such as 100m, as a string or a number
	intOrString      // a port or a percentage
	readOnly         // a time, or who manages what: the API server's business
	structure        // a mapping with known keys
	dictionary       // a mapping with any keys
	list
)

var special = map[reflect.Type]kind{
	reflect.TypeFor[resource.Quantity]():  quantity,
	reflect.TypeFor[intstr.IntOrString](): intOrString,
	reflect.TypeFor[metav1.Time]():        readOnly,
	reflect.TypeFor[metav1.FieldsV1]():    readOnly,
}

var kinds = map[reflect.Kind]kind{
	reflect.String: text, reflect.Bool: boolean, reflect.Int32: int32Kind, reflect.Int64: int64Kind,
	reflect.Struct: structure, reflect.Map: dictionary, reflect.Slice: list,
}

// typ is a type of k8s.io/api that is no pointer.
type typ struct{ reflect.Type }

func typeOf(t reflect.Type) typ {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return typ{t}
}

func (t typ) kind() kind {
	if k, ok := special[t.Type]; ok {
		return k
	}
	k, ok := kinds[t.Kind()]
	if !ok {
		panic("overlay: no rule for " + t.String())
	}
	return k
}

// elem is the type of the elements of a list or dictionary.
func (t typ) elem() typ { return typeOf(t.Elem()) }

// field is a field of a structure.
type field struct {
	typ    typ
	merged bool   // a list that a strategic merge patch merges, not replaces
	key    string // the field that tells the elements of a merged list apart; empty for lists of strings
}

// fields are those of a structure.
type fields struct {
	byKey map[string]field
	keys  []string // in the order of declaration
}

var structures sync.Map // reflect.Type to *fields

// fields returns the fields of a structure.
func (t typ) fields() *fields {
	if known, ok := structures.Load(t.Type); ok {
		return known.(*fields)
	}
	all := &fields{byKey: map[string]field{}}
	all.add(t.Type)
	structures.Store(t.Type, all)
	return all
}

func (all *fields) add(t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && key == "" {
			all.add(f.Type)
			continue
		}
		one := field{typ: typeOf(f.Type)}
		if one.typ.Kind() == reflect.Slice && slices.Contains(strings.Split(f.Tag.Get("patchStrategy"), ","), "merge") {
			one.merged, one.key = true, f.Tag.Get("patchMergeKey")
		}
		all.byKey[key] = one
		all.keys = append(all.keys, key)
	}
}
