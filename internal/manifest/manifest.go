// Package manifest holds Kubernetes objects as small ordered trees and prints them: as YAML in the form that kubectl and
// kustomize print, and as canonical JSON to take hashes of. It prints tens of thousands of objects a second, and what it
// prints is read back exactly by readers of YAML 1.1 and 1.2 alike.
package manifest

import (
	"slices"
	"strings"
)

// Value is a node of a tree: a Map, List, String, Int or Bool. Trees share what they have in common and must not be
// changed once they are built. Strings are UTF-8.
type Value interface{ value() }

// Map is a mapping. Its fields are sorted by key and every key is there once; NewMap sees to it.
type Map []Field

// Field is one entry of a Map.
type Field struct {
	Key   string
	Value Value
}

// List is a sequence.
type List []Value

// String is a text.
type String string

// Int is a whole number.
type Int int64

// Bool is true or false.
type Bool bool

func (Map) value()    {}
func (List) value()   {}
func (String) value() {}
func (Int) value()    {}
func (Bool) value()   {}

// KV is the field of that key and value.
func KV(key string, value Value) Field { return Field{Key: key, Value: value} }

// NewMap sorts the fields in place. Fields without a value are left out; of a key that is given twice the later counts.
func NewMap(fields ...Field) Map {
	m := Map(slices.DeleteFunc(fields, func(f Field) bool { return f.Value == nil }))
	if !slices.IsSortedFunc(m, compareKeys) {
		slices.SortStableFunc(m, compareKeys)
	}
	for i := len(m) - 1; i > 0; i-- {
		if m[i].Key == m[i-1].Key {
			m = slices.Delete(m, i-1, i)
		}
	}
	return m
}

// Get returns the value of key, nil where there is none.
func (m Map) Get(key string) Value {
	i, found := m.find(key)
	if !found {
		return nil
	}
	return m[i].Value
}

// Text returns the string under key, empty where there is none.
func (m Map) Text(key string) string {
	text, _ := m.Get(key).(String)
	return string(text)
}

// Map returns the mapping under key, nil where there is none.
func (m Map) Map(key string) Map {
	inner, _ := m.Get(key).(Map)
	return inner
}

// List returns the list under key, nil where there is none.
func (m Map) List(key string) List {
	list, _ := m.Get(key).(List)
	return list
}

// With returns a copy of m in which key has the value; a nil value removes the key.
func (m Map) With(key string, value Value) Map {
	i, found := m.find(key)
	rest := m[i:]
	if found {
		rest = m[i+1:]
	}
	out := make(Map, 0, len(m)+1)
	out = append(out, m[:i]...)
	if value != nil {
		out = append(out, KV(key, value))
	}
	return append(out, rest...)
}

func (m Map) find(key string) (int, bool) {
	return slices.BinarySearchFunc(m, key, func(f Field, key string) int { return strings.Compare(f.Key, key) })
}

func compareKeys(a, b Field) int { return strings.Compare(a.Key, b.Key) }

// Strings returns the texts as a list.
func Strings(texts ...string) List {
	list := make(List, len(texts))
	for i, text := range texts {
		list[i] = String(text)
	}
	return list
}
