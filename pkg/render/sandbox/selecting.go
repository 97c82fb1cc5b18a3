package sandbox

import (
	"cmp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// The kinds that may select the Pods of forks too: neither sends them requests.
const (
	networkPolicy       = "NetworkPolicy"
	podDisruptionBudget = "PodDisruptionBudget"
)

// selectingObject is an object that selects Pods.
type selectingObject struct {
	item     *krm.Item
	selector labels.Selector
	// peers are what else of a NetworkPolicy selects Pods: those that it lets through.
	peers []labels.Selector
}

// readSelecting reads what an object selects Pods by; it is false if it selects none.
func readSelecting(item *krm.Item, spec object) (s selectingObject, selects bool) {
	s.item = item
	switch item.Kind() {
	case "Service", "ReplicationController":
		selector := stringMap(spec, "selector")
		return selectingObject{item: item, selector: labels.SelectorFromSet(selector)}, len(selector) > 0
	case networkPolicy:
		s.peers = append(readPeers(spec, "ingress", "from"), readPeers(spec, "egress", "to")...)
		if spec["podSelector"] == nil {
			s.selector = labels.Everything()
			return s, true
		}
		s.selector, selects = readSelector(spec, "podSelector")
	default:
		s.selector, selects = readSelector(spec, "selector")
	}
	return s, selects
}

func readPeers(spec object, direction, side string) (found []labels.Selector) {
	for _, rule := range children(spec, direction) {
		for _, peer := range children(rule, side) {
			if selector, ok := readSelector(peer, "podSelector"); ok {
				found = append(found, selector)
			}
		}
	}
	return found
}

// readSelector reads a LabelSelector. It is false if there is none, or one that the API server refuses; an empty one selects
// every Pod.
func readSelector(o object, key string) (labels.Selector, bool) {
	mapping := child(o, key)
	if mapping == nil {
		return nil, false
	}
	var typed metav1.LabelSelector
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(mapping, &typed); err != nil {
		return nil, false
	}
	selector, err := metav1.LabelSelectorAsSelector(&typed)
	return selector, err == nil
}

// exclude finds the labels by which forks stay out of what selects Pods in the namespace. If that is not possible for all,
// what sends requests to Pods or owns them comes first; the order of the list does not count.
func (n *namespace) exclude() {
	slices.SortStableFunc(n.selecting, func(a, b selectingObject) int {
		return cmp.Or(cmp.Compare(rank(a.item), rank(b.item)), cmp.Compare(a.item.Kind(), b.item.Kind()),
			cmp.Compare(a.item.Name(), b.item.Name()))
	})
	selectors := make([]labels.Selector, len(n.selecting))
	for i := range n.selecting {
		selectors[i] = n.selecting[i].selector
		if n.selecting[i].item.Kind() == networkPolicy {
			n.policies = append(n.policies, n.selecting[i])
		}
	}
	n.exclusion = newExclusion(selectors, isOurs)
}

func rank(item *krm.Item) int {
	switch item.Kind() {
	case networkPolicy:
		return 2
	case podDisruptionBudget:
		return 1
	}
	return 0
}

// isOurs reports whether a label is one that every fork's Pods have, and no baseline's.
func isOurs(key string) bool {
	return key == contract.ManagedByKey || strings.HasPrefix(key, contract.Group+"/")
}

// exclusion says how the labels of a Pod must be changed so that none of a set of selectors selects it: every label that one
// of them names goes, except those in set, which are there because a selector selects Pods that lack them.
type exclusion struct {
	named map[string]bool
	set   labels.Set
	// unavoidable are the indexes of the selectors that select such a Pod all the same: those without a requirement, those
	// that require a label that the Pod must have, and those for which no labels were found that exclude them and the others.
	unavoidable []int
}

// Bounds of the searches, which in the worst case try all labels that selectors name, in steps: of all of them together,
// and what each selector gets in any case, so that a search that gave up has no effect on the selectors after it.
const (
	maxSteps = 20_000
	minSteps = 100
)

// newExclusion finds an exclusion. Fixed reports which labels the Pod will have with any value: they exclude no selector,
// except one that requires their absence. The same selectors give the same exclusion.
func newExclusion(selectors []labels.Selector, fixed func(key string) bool) *exclusion {
	e := &exclusion{named: map[string]bool{}, set: labels.Set{}}
	s := search{values: map[string][]string{}, left: maxSteps}
	free := make([]labels.Selector, len(selectors))
	for i, selector := range selectors {
		free[i] = labels.NewSelector()
		requirements, _ := selector.Requirements()
		for _, r := range requirements {
			if key := r.Key(); !fixed(key) {
				e.named[key] = true
				s.values[key] = append(s.values[key], r.ValuesUnsorted()...)
				free[i] = free[i].Add(r)
			} else if r.Operator() == selection.DoesNotExist {
				free[i] = labels.Nothing()
			}
		}
	}
	for i, selector := range free {
		s.selectors = append(s.selectors, selector)
		s.left = max(s.left, minSteps)
		if !selector.Matches(e.set) || s.exclude(e.set) {
			continue
		}
		if anew := (labels.Set{}); s.exclude(anew) {
			e.set = anew
			continue
		}
		s.selectors = s.selectors[:len(s.selectors)-1]
		e.unavoidable = append(e.unavoidable, i)
	}
	return e
}

// search looks for labels that none of the selectors matches.
type search struct {
	selectors []labels.Selector
	values    map[string][]string // that selectors name, by key
	left      int
}

// exclude adds labels to the set until no selector matches it. If it finds none the set stays as it is. Of a selector that
// matches a set, more labels break only a requirement that the label is missing or has none of some values.
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

// candidates are the values that make a difference: one that no selector names, and those that selectors name.
func (s *search) candidates(key string) []string {
	named := slices.Compact(slices.Sorted(slices.Values(s.values[key])))
	unnamed := "fork"
	for slices.Contains(named, unnamed) {
		unnamed += "x"
	}
	return append([]string{unnamed}, named...)
}
