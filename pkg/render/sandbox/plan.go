package sandbox

import "slices"

// plan says what labels must be like; one that is not in it must be missing.
type plan map[string]want

// want is what one label must be like. Without present it may be missing, and then the values do not count.
type want struct {
	present, absent bool
	allowed         []string // nil: any but the forbidden ones
	forbidden       []string
}

// with returns what a label must be like so that besides what is wanted a requirement holds; ok is false where no label is
// like that. What two calls for the same want return may share memory: only the last of them counts.
func (w want) with(r Requirement) (_ want, ok bool) {
	switch r.Operator {
	case Exists:
		w.present = true
	case DoesNotExist:
		w.absent = true
	case NotIn:
		if w.allowed == nil {
			w.forbidden = append(w.forbidden, r.Values...)
		} else {
			w.allowed = keep(w.allowed, func(v string) bool { return !slices.Contains(r.Values, v) })
		}
	case In:
		w.present = true
		if w.allowed == nil {
			w.allowed = keep(r.Values, func(v string) bool { return !slices.Contains(w.forbidden, v) })
		} else {
			w.allowed = keep(w.allowed, func(v string) bool { return slices.Contains(r.Values, v) })
		}
	}
	return w, !w.present || !w.absent && (w.allowed == nil || len(w.allowed) > 0)
}

// keep returns the values that a condition holds for; they are a list of their own, never nil.
func keep(values []string, holds func(string) bool) []string {
	kept := make([]string, 0, len(values))
	for _, v := range values {
		if holds(v) {
			kept = append(kept, v)
		}
	}
	return kept
}

// value returns the value of a label that must be there: the first of the allowed ones, or one that nobody names.
func (w want) value() string {
	if w.allowed != nil {
		return slices.Min(w.allowed)
	}
	value := "fork"
	for slices.Contains(w.forbidden, value) {
		value += "x"
	}
	return value
}
