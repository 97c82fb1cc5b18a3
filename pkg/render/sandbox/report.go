package sandbox

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

func (f *fork) describe() string {
	var text strings.Builder
	fmt.Fprintf(&text, "forked %s %q as %q", f.baseline.kind, f.baseline.name, f.name)
	for _, s := range f.services {
		fmt.Fprintf(&text, ", Service %q as %q", s.name, s.fork)
	}
	return text.String()
}

// reportSelecting reports, once for each namespace with forks, what selects the forks' Pods all the same, and, once for each
// baseline, which NetworkPolicies its forks lose.
func (r *renderer) reportSelecting() {
	namespaces := map[*namespace]bool{}
	forked := map[*workload]bool{}
	for _, s := range r.sandboxes {
		for _, f := range s.forks {
			if f == nil || forked[f.baseline] {
				continue
			}
			forked[f.baseline] = true
			r.reportLost(f)
			if space := f.baseline.space; !namespaces[space] {
				namespaces[space] = true
				r.reportUnavoidable(space)
				r.reportMarked(space)
			}
		}
	}
}

// reportUnavoidable reports selectors that the labels of forks do not exclude. What sends requests to Pods or owns them must
// not select a fork's; a PodDisruptionBudget counts them, and a NetworkPolicy is wanted there.
func (r *renderer) reportUnavoidable(space *namespace) {
	for _, i := range space.exclusion.unavoidable {
		item := space.selecting[i].item
		switch item.Kind() {
		case networkPolicy:
			r.list.Report(krm.At(item, "spec.podSelector", krm.Info, "holds for the Pods of forks too"))
		case podDisruptionBudget:
			r.list.Report(krm.At(item, "spec.selector", krm.Warning,
				"counts the Pods of forks too: make it name a label that the baseline's Pods have"))
		default:
			r.list.Report(krm.At(item, "spec.selector", krm.Error,
				"must not select the Pods of forks, but no labels were found that keep them out of it and of all others: make it "+
					"name a label that its Pods have"))
		}
	}
}

// reportMarked reports baselines whose Pods a fork's selectors would select.
func (r *renderer) reportMarked(space *namespace) {
	for _, w := range space.marked() {
		r.list.Report(krm.At(w.item, "spec.template.metadata.labels", krm.Error,
			fmt.Sprintf("Pods of a baseline must not have the label %q, which is for forks: remove it", contract.ForkKey)))
	}
}

// reportLost warns of NetworkPolicies that hold for a baseline's Pods, or let them through, and not those of its forks.
func (r *renderer) reportLost(f *fork) {
	w := f.baseline
	lost := func(s labels.Selector) bool { return s.Matches(labels.Set(w.labels)) && !s.Matches(f.labels) }
	for _, selecting := range w.space.selecting {
		if selecting.item.Kind() != networkPolicy {
			continue
		}
		if lost(selecting.selector) {
			r.list.Report(krm.At(selecting.item, "spec.podSelector", krm.Warning, fmt.Sprintf(
				"holds for the Pods of %s %q and not for those of its forks: if they need it, add a NetworkPolicy that selects "+
					"the label %q", w.kind, w.name, contract.ForkKey)))
		}
		if slices.ContainsFunc(selecting.peers, lost) {
			r.list.Report(krm.At(selecting.item, "spec", krm.Warning, fmt.Sprintf(
				"lets the Pods of %s %q through and not those of its forks: if they need it, add a NetworkPolicy that lets the "+
					"label %q through", w.kind, w.name, contract.ForkKey)))
		}
	}
}
