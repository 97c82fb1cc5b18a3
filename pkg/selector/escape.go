package selector

import "slices"

// Escape says how the labels of a Pod must be changed so that a set of selectors does not take it: every label that one of
// them names goes, but for those in Set, which are there because a selector takes Pods that lack them.
type Escape struct {
	named map[string]bool
	// Set are the labels to set.
	Set map[string]string
	// Caught are the indexes of the selectors that take the Pod whatever its labels are: those without a requirement, those
	// that ask for a label that the Pod must have, and those that contradict others before them.
	Caught []int
}

// Drops tells whether a label must go.
func (e *Escape) Drops(key string) bool { return e.named[key] }

// From finds an escape. Fixed tells which labels the Pod will have with any value: selectors cannot be escaped by them,
// unless they ask for their absence. The same selectors give the same escape.
func From(selectors []Selector, fixed func(key string) bool) *Escape {
	e := &Escape{named: map[string]bool{}, Set: map[string]string{}}
	search := search{left: mostSteps}
	for i, s := range selectors {
		if !s.possible() {
			continue
		}
		ways := make([]Requirement, 0, len(s))
		away := false
		for _, r := range s {
			if !fixed(r.Key) {
				e.named[r.Key] = true
				ways = append(ways, r)
			} else if r.Operator == DoesNotExist {
				away = true
			}
		}
		if away {
			continue
		}
		search.selectors = append(search.selectors, easyFirst(ways))
		if plan := search.solve(); plan != nil {
			search.plan = plan
			continue
		}
		search.selectors = search.selectors[:len(search.selectors)-1]
		e.Caught = append(e.Caught, i)
	}
	for key, want := range search.plan {
		if want.present {
			e.Set[key] = want.value()
		}
	}
	return e
}

// easyFirst puts the requirements first that a missing label breaks.
func easyFirst(ways []Requirement) []Requirement {
	slices.SortStableFunc(ways, func(a, b Requirement) int { return hard(a) - hard(b) })
	return ways
}

func hard(r Requirement) int {
	if r.Operator == In || r.Operator == Exists {
		return 0
	}
	return 1
}

// mostSteps bounds the search, which in the worst case tries every way out of every selector.
const mostSteps = 100_000

// search looks for what labels must be like so that each selector has a requirement that does not hold.
type search struct {
	selectors [][]Requirement
	plan      plan
	left      int
}

// plan says what labels must be like; one that is not in it must be missing.
type plan map[string]want

// want is what one label must be like. Without present it may be missing, and then the values do not count.
type want struct {
	present, absent bool
	allowed         []string // nil: any
	forbidden       []string
}

// solve extends the plan by the last selector; where that fails it starts anew.
func (s *search) solve() plan {
	last := len(s.selectors) - 1
	if extended := s.from(last, s.plan); extended != nil {
		return extended
	}
	return s.from(0, nil)
}

func (s *search) from(i int, p plan) plan {
	if i == len(s.selectors) {
		if p == nil {
			p = plan{}
		}
		return p
	}
	for _, r := range s.selectors[i] {
		if s.left--; s.left < 0 {
			return nil
		}
		w, ok := p[r.Key].with(r.negated())
		if !ok {
			continue
		}
		next := make(plan, len(p)+1)
		for key, value := range p {
			next[key] = value
		}
		next[r.Key] = w
		if done := s.from(i+1, next); done != nil {
			return done
		}
	}
	return nil
}

// with returns what a label must be like so that besides what is wanted a requirement holds; ok is false where no label is
// like that.
func (w want) with(r Requirement) (_ want, ok bool) {
	switch r.Operator {
	case Exists:
		w.present = true
	case DoesNotExist:
		w.absent = true
	case NotIn:
		w.forbidden = append(slices.Clip(w.forbidden), r.Values...)
	case In:
		w.present = true
		if w.allowed == nil {
			w.allowed = slices.Clone(r.Values)
		} else {
			w.allowed = slices.DeleteFunc(slices.Clone(w.allowed), func(v string) bool { return !slices.Contains(r.Values, v) })
		}
	}
	if w.present && w.absent {
		return w, false
	}
	return w, !w.present || w.allowed == nil || len(w.choices()) > 0
}

func (w want) choices() []string {
	left := slices.DeleteFunc(slices.Clone(w.allowed), func(v string) bool { return slices.Contains(w.forbidden, v) })
	slices.Sort(left)
	return left
}

// value returns the value of a label that must be there: the first of the allowed ones, or one that nobody names.
func (w want) value() string {
	if w.allowed != nil {
		return w.choices()[0]
	}
	value := "fork"
	for slices.Contains(w.forbidden, value) {
		value += "x"
	}
	return value
}
