package sandbox

import (
	"slices"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// requirement is one condition on a label: In, NotIn, Exists or DoesNotExist.
type requirement struct {
	key      string
	operator selection.Operator
	values   []string // of In and NotIn
}

func readRequirements(requirements labels.Requirements) []requirement {
	read := make([]requirement, len(requirements))
	for i, r := range requirements {
		read[i] = requirement{r.Key(), r.Operator(), r.ValuesUnsorted()}
		if read[i].operator == selection.Equals {
			read[i].operator = selection.In
		}
	}
	return read
}

// negated returns the requirement that holds if this one does not.
func (r requirement) negated() requirement {
	r.operator = map[selection.Operator]selection.Operator{
		selection.In: selection.NotIn, selection.NotIn: selection.In,
		selection.Exists: selection.DoesNotExist, selection.DoesNotExist: selection.Exists,
	}[r.operator]
	return r
}

// labelPlan says what labels must be like; one that is not in it must be missing.
type labelPlan map[string]want

// want is what one label must be like. Without present it may be missing, and then the values do not count.
type want struct {
	present, absent bool
	allowed         []string // nil: any but the forbidden ones
	forbidden       []string
}

// with returns what a label must be like so that besides what is wanted a requirement holds; ok is false if no label is
// like that. What two calls for the same want return may share memory: only the last of them counts.
func (w want) with(r requirement) (_ want, ok bool) {
	switch r.operator {
	case selection.Exists:
		w.present = true
	case selection.DoesNotExist:
		w.absent = true
	case selection.NotIn:
		if w.allowed == nil {
			w.forbidden = append(w.forbidden, r.values...)
		} else {
			w.allowed = keep(w.allowed, func(v string) bool { return !slices.Contains(r.values, v) })
		}
	case selection.In:
		w.present = true
		if w.allowed == nil {
			w.allowed = keep(r.values, func(v string) bool { return !slices.Contains(w.forbidden, v) })
		} else {
			w.allowed = keep(w.allowed, func(v string) bool { return slices.Contains(r.values, v) })
		}
	default: // a label selector of Kubernetes has no others
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
