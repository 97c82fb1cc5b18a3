package sandbox

import (
	"slices"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// exclusion says how the labels of a Pod must be changed so that none of a set of selectors selects it: every label that one
// of them names goes, except those in set, which are there because a selector selects Pods that lack them.
type exclusion struct {
	named map[string]bool
	set   map[string]string
	// unavoidable are the indexes of the selectors that select such a Pod all the same: those without a requirement, those
	// that require a label that the Pod must have, and those for which no labels were found that exclude them and the others.
	unavoidable []int
}

// drops reports whether a label must go.
func (e *exclusion) drops(key string) bool { return e.named[key] }

// newExclusion finds an exclusion. Fixed reports which labels the Pod will have with any value: they exclude no selector,
// except one that requires their absence. The same selectors give the same exclusion.
func newExclusion(selectors []labels.Selector, fixed func(key string) bool) *exclusion {
	e := &exclusion{named: map[string]bool{}, set: map[string]string{}}
	search := search{plan: labelPlan{}, left: maxSteps}
	for i, selector := range selectors {
		requirements, _ := selector.Requirements()
		if !satisfiable(requirements) {
			continue
		}
		breakable := make([]requirement, 0, len(requirements))
		excluded := false
		for _, r := range readRequirements(requirements) {
			if !fixed(r.key) {
				e.named[r.key] = true
				breakable = append(breakable, r)
			} else if r.operator == selection.DoesNotExist {
				excluded = true
			}
		}
		if !excluded && !search.add(easyFirst(breakable)) {
			e.unavoidable = append(e.unavoidable, i)
		}
	}
	for key, want := range search.plan {
		if want.present {
			e.set[key] = want.value()
		}
	}
	return e
}

// satisfiable reports whether there are labels that meet all requirements.
func satisfiable(requirements labels.Requirements) bool {
	plan := make(labelPlan, len(requirements))
	for _, r := range readRequirements(requirements) {
		w, ok := plan[r.key].with(r)
		if !ok {
			return false
		}
		plan[r.key] = w
	}
	return true
}

// easyFirst puts the requirements first that a missing label breaks.
func easyFirst(requirements []requirement) []requirement {
	slices.SortStableFunc(requirements, func(a, b requirement) int { return hard(a) - hard(b) })
	return requirements
}

func hard(r requirement) int {
	if r.operator == selection.In || r.operator == selection.Exists {
		return 0
	}
	return 1
}

// maxSteps bounds the searches, which in the worst case try to break every requirement of every selector.
const maxSteps = 100_000

// search looks for labels that break a requirement of each selector.
type search struct {
	selectors [][]requirement
	plan      labelPlan
	left      int
}

// add adds a selector, unless no labels are found that exclude it and the others. One more label that does costs none of
// the steps, so that a search that gave up has no effect on the selectors after it.
func (s *search) add(breakable []requirement) bool {
	for _, r := range breakable {
		if w, ok := s.plan[r.key].with(r.negated()); ok {
			s.plan[r.key] = w
			s.selectors = append(s.selectors, breakable)
			return true
		}
	}
	// What is hard to exclude comes first: the others have more requirements to break.
	fresh := labelPlan{}
	if !s.breakAll(breakable, s.selectors, fresh) {
		return false
	}
	s.selectors, s.plan = slices.Insert(s.selectors, 0, breakable), fresh
	return true
}

// breakAll makes the plan one that excludes a selector and the rest too. If there is none the plan stays as it is.
func (s *search) breakAll(breakable []requirement, rest [][]requirement, plan labelPlan) bool {
	for _, r := range breakable {
		if s.left--; s.left < 0 {
			return false
		}
		before := plan[r.key]
		w, ok := before.with(r.negated())
		if !ok {
			continue
		}
		plan[r.key] = w
		if len(rest) == 0 || s.breakAll(rest[0], rest[1:], plan) {
			return true
		}
		plan[r.key] = before
	}
	return false
}
