package sandbox

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// ownLabels are the labels of forks' Pods that an exclusion must not change.
type ownLabels struct {
	// is reports whether a key is one of them. A key that is neither known nor open is on no Pod of a fork.
	is func(key string) bool
	// known are the labels with the same value on every Pod.
	known labels.Set
	// open are the keys of labels whose value differs between forks.
	open []string
}

// podLabels are the labels that relabel sets on a Pod of a fork.
var podLabels = ownLabels{
	is:    isOurs,
	known: labels.Set{contract.ManagedByKey: contract.ManagedBy},
	open:  []string{contract.ForkKey, contract.SandboxKey},
}

// isOurs reports whether relabel sets the label.
func isOurs(key string) bool {
	return key == contract.ManagedByKey || strings.HasPrefix(key, contract.Group+"/")
}

// noSelectorNames is a value that is too long for any selector.
var noSelectorNames = strings.Repeat("x", 64)

// split returns the requirements of a selector on other labels. It returns false if the own labels alone keep forks'
// Pods out of the selector.
func (o *ownLabels) split(selector labels.Selector) (others []labels.Requirement, maySelect bool) {
	requirements, maySelect := selector.Requirements()
	open := map[string][]labels.Requirement{}
	for _, r := range requirements {
		switch key := r.Key(); {
		case !o.is(key):
			others = append(others, r)
		case slices.Contains(o.open, key):
			open[key] = append(open[key], r)
		case !r.Matches(o.known):
			return nil, false
		}
	}
	for key, all := range open {
		if !hasValue(key, all) {
			return nil, false
		}
	}
	return others, maySelect
}

// hasValue reports whether a label can have a value that meets all requirements on it.
func hasValue(key string, all []labels.Requirement) bool {
	candidates := []string{noSelectorNames}
	for _, r := range all {
		candidates = append(candidates, r.ValuesUnsorted()...)
	}
	return slices.ContainsFunc(candidates, func(value string) bool {
		return !slices.ContainsFunc(all, func(r labels.Requirement) bool { return !r.Matches(labels.Set{key: value}) })
	})
}

// exclusion is a change to a Pod's labels after which none of a set of selectors selects it: every label that a
// selector names is removed, except those in set, which are added because a selector selects Pods without them.
type exclusion struct {
	named map[string]bool
	set   labels.Set
	// unavoidable are the selectors that select such a Pod anyway, in order.
	unavoidable []unavoidable
}

// unavoidable is a selector that selects the Pods of forks, with the reason.
type unavoidable struct {
	index int
	// always means that it selects them whatever their other labels are.
	always bool
	// gaveUp means that the search for labels reached its limit.
	gaveUp bool
	// against is the index of the selector that selects every Pod which this one does not; -1 if only several together
	// do.
	against int
}

// Limits of the searches in steps; in the worst case they try all labels that selectors name. There is one for all
// searches together and a guaranteed part for each selector, so that a search that gave up does not affect later
// selectors.
const (
	maxSteps = 20_000
	minSteps = 100
)

// newExclusion finds an exclusion. The same selectors give the same exclusion.
func newExclusion(selectors []labels.Selector, own ownLabels) *exclusion {
	e := &exclusion{named: map[string]bool{}, set: labels.Set{}}
	s := search{values: map[string][]string{}, left: maxSteps}
	free := make([]labels.Selector, len(selectors))
	for i, selector := range selectors {
		free[i] = labels.Nothing()
		others, maySelect := own.split(selector)
		for _, r := range others {
			e.named[r.Key()] = true
			s.values[r.Key()] = append(s.values[r.Key()], r.ValuesUnsorted()...)
		}
		if maySelect {
			free[i] = labels.NewSelector().Add(others...)
		}
	}
	var kept []int
	for i, selector := range free {
		s.selectors = append(s.selectors, selector)
		s.left = max(s.left, minSteps)
		if !selector.Matches(e.set) || s.exclude(e.set) {
			kept = append(kept, i)
			continue
		}
		if anew := (labels.Set{}); s.exclude(anew) {
			e.set = anew
			kept = append(kept, i)
			continue
		}
		gaveUp := s.left < 0
		s.selectors = s.selectors[:len(s.selectors)-1]
		e.unavoidable = append(e.unavoidable, s.explain(free, kept, i, gaveUp))
	}
	return e
}

// explain returns the reason why a selector is unavoidable together with those that are kept.
func (s *search) explain(all []labels.Selector, kept []int, index int, gaveUp bool) unavoidable {
	u := unavoidable{index: index, gaveUp: gaveUp, against: -1}
	alone := search{selectors: []labels.Selector{all[index]}, values: s.values, left: minSteps}
	if !alone.exclude(labels.Set{}) {
		u.always = alone.left >= 0
		return u
	}
	for _, other := range kept {
		pair := search{selectors: []labels.Selector{all[other], all[index]}, values: s.values, left: minSteps}
		if !pair.exclude(labels.Set{}) && pair.left >= 0 {
			u.against, u.gaveUp = other, false
			break
		}
	}
	return u
}

// search searches labels that no selector matches.
type search struct {
	selectors []labels.Selector
	values    map[string][]string // named by selectors, by key
	left      int
}

// exclude adds labels to the set until no selector matches it. If it finds none, the set does not change. More labels
// break a matching selector only if it requires a label to be missing or to have none of some values.
func (s *search) exclude(set labels.Set) bool {
	i := slices.IndexFunc(s.selectors, func(selector labels.Selector) bool { return selector.Matches(set) })
	if i < 0 {
		return true
	}
	requirements, _ := s.selectors[i].Requirements()
	for _, r := range requirements {
		if set.Has(r.Key()) {
			continue
		}
		for _, value := range s.candidates(r.Key()) {
			set[r.Key()] = value
			if s.left--; s.left >= 0 && !r.Matches(set) && s.exclude(set) {
				return true
			}
			delete(set, r.Key())
		}
	}
	return false
}

// candidates are the values that make a difference: those that selectors name, and one that no selector names.
func (s *search) candidates(key string) []string {
	named := slices.Compact(slices.Sorted(slices.Values(s.values[key])))
	unnamed := "fork"
	for slices.Contains(named, unnamed) {
		unnamed += "x"
	}
	return append([]string{unnamed}, named...)
}
