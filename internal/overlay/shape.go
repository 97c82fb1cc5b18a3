package overlay

// Shape is what is known about the type of a value: which of its lists a strategic merge patch merges, and by which key.
// The zero value knows nothing.
type Shape struct{ typ *typ }

// DeploymentShape is the shape of a Deployment.
func DeploymentShape() Shape { return Shape{deployment()} }

// Field returns the shape of the value of a key; for a list, that of its elements.
func (s Shape) Field(key string) Shape {
	f := s.field(key)
	switch {
	case f == nil:
		return Shape{}
	case f.kind == list:
		return Shape{f.elem}
	}
	return Shape{f.typ}
}

// Merges tells whether the list under a key is merged, and by which field of its elements; by the elements themselves where
// the field is empty.
func (s Shape) Merges(key string) (merged bool, by string) {
	f := s.field(key)
	if f == nil || f.kind != list {
		return false, ""
	}
	return f.merged, f.key
}

func (s Shape) field(key string) *field {
	switch {
	case s.typ == nil:
		return nil
	case s.typ.kind == structure:
		return s.typ.fields[key]
	case s.typ.kind == dictionary:
		return &field{typ: s.typ.elem}
	}
	return nil
}
