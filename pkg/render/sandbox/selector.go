// Package selector reads what selects Pods by their labels, tells whether it takes a Pod, and finds out how the labels of a
// Pod must differ so that none of a set of selectors takes it.
package sandbox

import "slices"

// Operator is how a requirement looks at a label, as a LabelSelector has it (k8s.io/apimachinery, meta/v1).
type Operator string

// The operators.
const (
	In           Operator = "In"
	NotIn        Operator = "NotIn" // holds too where the label is missing
	Exists       Operator = "Exists"
	DoesNotExist Operator = "DoesNotExist"
)

// Requirement is one condition on a label.
type Requirement struct {
	Key      string
	Operator Operator
	Values   []string // of In and NotIn
}

// Selector takes a Pod that meets all requirements. Without any it takes every Pod.
type Selector []Requirement

// Matches tells whether the selector takes a Pod with the labels.
func (s Selector) Matches(labels map[string]string) bool {
	for _, r := range s {
		if !r.holds(labels) {
			return false
		}
	}
	return true
}

func (r Requirement) holds(labels map[string]string) bool {
	value, has := labels[r.Key]
	switch r.Operator {
	case In:
		return has && slices.Contains(r.Values, value)
	case NotIn:
		return !has || !slices.Contains(r.Values, value)
	case Exists:
		return has
	case DoesNotExist: // the one that is left
	}
	return !has
}

// negated returns the requirement that holds where this one does not.
func (r Requirement) negated() Requirement {
	r.Operator = map[Operator]Operator{In: NotIn, NotIn: In, Exists: DoesNotExist, DoesNotExist: Exists}[r.Operator]
	return r
}

// possible tells whether there are labels that the selector takes: it is false where requirements contradict one another.
func (s Selector) possible() bool {
	wants := make(plan, len(s))
	for _, r := range s {
		w, ok := wants[r.Key].with(r)
		if !ok {
			return false
		}
		wants[r.Key] = w
	}
	return true
}
