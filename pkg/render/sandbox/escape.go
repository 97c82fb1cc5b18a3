package sandbox

import "slices"

// Escape says how the labels of a Pod must be changed so that a set of selectors does not take it: every label that one of
// them names goes, but for those in Set, which are there because a selector takes Pods that lack them.
type Exclusion struct {
	named map[string]bool
	// Set are the labels to set.
	Set map[string]string
	// Caught are the indexes of the selectors that take such a Pod all the same: those without a requirement, those that ask
	// for a label that the Pod must have, and those for which no labels were found that escape them and the others too.
	Caught []int
}

// Drops tells whether a label must go.
func (e *Exclusion) Drops(key string) bool { return e.named[key] }

// From finds an escape. Fixed tells which labels the Pod will have with any value: selectors cannot be escaped by them,
// unless they ask for their absence. The same selectors give the same escape.
func ExclusionFrom(selectors []Selector, fixed func(key string) bool) *Exclusion {
	e := &Exclusion{named: map[string]bool{}, Set: map[string]string{}}
	search := search{plan: plan{}, left: mostSteps}
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
		if !search.add(easyFirst(ways)) {
			e.Caught = append(e.Caught, i)
		}
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

// mostSteps bounds the searches, which in the worst case try every way out of every selector.
const mostSteps = 100_000

// search looks for what labels must be like so that each selector has a requirement that does not hold.
type search struct {
	selectors [][]Requirement
	plan      plan
	left      int
}

// add takes in a selector, unless no labels are found that escape it and the others. One more label that does costs none of
// the steps, so that a search that gave up says nothing of the selectors after it.
func (s *search) add(ways []Requirement) bool {
	for _, r := range ways {
		if w, ok := s.plan[r.Key].with(r.negated()); ok {
			s.plan[r.Key] = w
			s.selectors = append(s.selectors, ways)
			return true
		}
	}
	// What is hard to escape comes first: the others have more ways.
	fresh := plan{}
	if !s.escape(ways, s.selectors, fresh) {
		return false
	}
	s.selectors, s.plan = slices.Insert(s.selectors, 0, ways), fresh
	return true
}

// escape makes the plan one that escapes a selector and the rest too. Where there is none it stays as it is.
func (s *search) escape(ways []Requirement, rest [][]Requirement, p plan) bool {
	for _, r := range ways {
		if s.left--; s.left < 0 {
			return false
		}
		before := p[r.Key]
		w, ok := before.with(r.negated())
		if !ok {
			continue
		}
		p[r.Key] = w
		if len(rest) == 0 || s.escape(rest[0], rest[1:], p) {
			return true
		}
		p[r.Key] = before
	}
	return false
}
