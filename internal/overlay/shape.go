package overlay

import (
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
)

// Shape is what is known about the type of a value: which of its lists a strategic merge patch merges, and by which key.
// The zero value knows nothing.
type Shape struct{ typ typ }

// DeploymentShape is the shape of a Deployment.
func DeploymentShape() Shape { return Shape{typeOf(reflect.TypeFor[appsv1.Deployment]())} }

// Field returns the shape of the value of a key; for a list, that of its elements.
func (s Shape) Field(key string) Shape {
	f, ok := s.field(key)
	switch {
	case !ok:
		return Shape{}
	case f.typ.kind() == list:
		return Shape{f.typ.elem()}
	}
	return Shape{f.typ}
}

// Merges reports whether the list under a key is merged, and by which field of its elements; by the elements themselves
// if the field is empty.
func (s Shape) Merges(key string) (merged bool, by string) {
	f, _ := s.field(key)
	return f.merged, f.key
}

func (s Shape) field(key string) (f field, ok bool) {
	switch {
	case s.typ.Type == nil:
		return field{}, false
	case s.typ.kind() == structure:
		f, ok = s.typ.fields().byKey[key]
		return f, ok
	case s.typ.kind() == dictionary:
		return field{typ: s.typ.elem()}, true
	}
	return field{}, false
}
