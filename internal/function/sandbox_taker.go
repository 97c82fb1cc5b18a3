package function

import (
	"fmt"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render/sandbox"
)

// reportTakers tells, once for each namespace with forks, what selects the forks' Pods all the same, and, once for each
// baseline, which NetworkPolicies its forks lose.
func (s *scene) reportTakers() {
	seen := map[*sandbox.Namespace]bool{}
	forked := map[*sandbox.Workload]bool{}
	for _, subject := range s.subjects {
		for _, f := range subject.work.forks {
			if f == nil || forked[f.Baseline] {
				continue
			}
			forked[f.Baseline] = true
			s.reportLost(f)
			if space := f.Baseline.Space; !seen[space] {
				seen[space] = true
				s.reportCaught(space)
				s.reportMarked(space)
			}
		}
	}
}

// reportCaught tells of selectors that the labels of forks do not escape. What sends requests to Pods or owns them must not
// take a fork's; a PodDisruptionBudget counts them, and a NetworkPolicy is wanted there.
func (s *scene) reportCaught(space *sandbox.Namespace) {
	for _, i := range space.Escape.Caught {
		item := space.Takers[i].Item
		switch item.Kind() {
		case sandbox.NetworkPolicy:
			s.call.List.Report(krm.At(item, "spec.podSelector", krm.Info, "holds for the Pods of forks too"))
		case sandbox.PodDisruptionBudget:
			s.call.List.Report(krm.At(item, "spec.selector", krm.Warning,
				"counts the Pods of forks too: make it name a label that the baseline's Pods have"))
		default:
			s.call.List.Report(krm.At(item, "spec.selector", krm.Error,
				"must not select the Pods of forks, but no labels were found that keep them out of it and of all others: make it "+
					"name a label that its Pods have"))
		}
	}
}

// reportMarked tells of baselines whose Pods a fork's selectors would take.
func (s *scene) reportMarked(space *sandbox.Namespace) {
	for _, w := range space.Marked() {
		s.call.List.Report(krm.At(w.Item, "spec.template.metadata.labels", krm.Error,
			fmt.Sprintf("Pods of a baseline must not have the label %q, which is for forks: remove it", contract.ForkKey)))
	}
}

// reportLost warns of NetworkPolicies that hold for a baseline's Pods, or let them through, and not those of its forks.
func (s *scene) reportLost(f *sandbox.Fork) {
	w, labels := f.Baseline, f.Labels()
	lost := func(s sandbox.Selector) bool { return s.Matches(w.Labels) && !s.Matches(labels) }
	for _, taker := range w.Space.Takers {
		if taker.Item.Kind() != sandbox.NetworkPolicy {
			continue
		}
		if lost(taker.Selector) {
			s.call.List.Report(krm.At(taker.Item, "spec.podSelector", krm.Warning, fmt.Sprintf(
				"holds for the Pods of %s %q and not for those of its forks: where they need it, add a NetworkPolicy that selects "+
					"the label %q", w.Kind, w.Name, contract.ForkKey)))
		}
		if slices.ContainsFunc(taker.Peers, lost) {
			s.call.List.Report(krm.At(taker.Item, "spec", krm.Warning, fmt.Sprintf(
				"lets the Pods of %s %q through and not those of its forks: where they need it, add a NetworkPolicy that lets the "+
					"label %q through", w.Kind, w.Name, contract.ForkKey)))
		}
	}
}
