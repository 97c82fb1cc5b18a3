package sandbox

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
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

// reportSelecting reports, once for each namespace with forks, the objects that select the forks' Pods anyway, and,
// once for each baseline, the NetworkPolicies that do not apply to its forks.
func (r *renderer) reportSelecting() {
	namespaces := map[*namespace]bool{}
	forked := map[*workload]bool{}
	for _, s := range r.sandboxes {
		for _, f := range s.forks {
			if forked[f.baseline] {
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

// reportUnavoidable reports selectors that the labels of forks do not exclude. Objects that send requests to Pods or
// own them must not select a fork's; a PodDisruptionBudget counts them, and a NetworkPolicy is meant to apply to them.
func (r *renderer) reportUnavoidable(space *namespace) {
	for _, u := range space.exclusion.unavoidable {
		item := space.selecting[u.index].item
		switch item.Kind() {
		case networkPolicy:
			r.list.Report(krm.At(item, "spec.podSelector", krm.Info, "holds for the Pods of forks too"))
		case podDisruptionBudget:
			r.list.Report(krm.At(item, "spec.selector", krm.Warning,
				"counts the Pods of forks too: make it name a label that the baseline's Pods have"))
		default:
			r.list.Report(krm.At(item, "spec.selector", krm.Error,
				"must not select the Pods of forks, but "+u.why(space)+": make it name a label that its Pods have"))
		}
	}
}

// why explains why labels cannot keep the Pods of forks out of the selector.
func (u *unavoidable) why(space *namespace) string {
	switch {
	case u.always:
		return "no change of their labels would exclude them"
	case u.against >= 0:
		other := space.selecting[u.against].item
		return fmt.Sprintf("every Pod that it does not select is one of %s %q", other.Kind(), other.Name())
	case u.gaveUp:
		return fmt.Sprintf("the search for labels that exclude them from it and from all others was ended after %d steps",
			maxSteps)
	default:
		return "every Pod that it does not select is one of another selector in the namespace"
	}
}

// reportMarked reports baselines whose Pods a fork's selectors would select.
func (r *renderer) reportMarked(space *namespace) {
	for _, w := range space.workloads {
		if _, marked := w.labels[contract.ForkKey]; marked {
			r.list.Report(krm.At(w.item, "spec.template.metadata.labels", krm.Error,
				fmt.Sprintf("Pods of a baseline must not have the label %q, which is for forks: remove it", contract.ForkKey)))
		}
	}
}

// reportLost warns of NetworkPolicies that apply to a baseline's Pods, or let them through, but not those of its forks.
func (r *renderer) reportLost(f *fork) {
	w := f.baseline
	lost := func(s labels.Selector) bool { return s.Matches(labels.Set(w.labels)) && !s.Matches(f.labels) }
	for _, selecting := range w.space.policies {
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

// reportUnsupported reports the parts of a sandbox that cannot be rendered as Kubernetes objects, one info each.
func (s *input) reportUnsupported() {
	report := func(at krm.Path, format string, args ...any) {
		s.report(at, krm.Info, "not rendered: "+fmt.Sprintf(format, args...))
	}
	for i, local := range s.Spec.Local {
		report(krm.Path("spec.local").Index(i), "%q runs on a workstation, and the tunnel to it is the vendor's", local.Name)
	}
	for i, virtual := range s.Spec.Virtual {
		report(krm.Path("spec.virtual").Index(i), "%q takes part without a copy, which needs the vendor's proxies", virtual.Name)
	}
	for i, middleware := range s.Spec.Middleware {
		report(krm.Path("spec.middleware").Index(i), "middleware %q runs in the vendor's proxies", middleware.Name)
	}
	if s.Spec.Routing != nil {
		for i, forward := range s.Spec.Routing.Forwards {
			report(krm.Path("spec.routing.forwards").Index(i), "forward %q is a tunnel of the vendor's", forward.Name)
		}
	}
	if s.Spec.Connection != nil && s.Spec.Connection.DevboxID != "" {
		report("spec.connection.devboxId", "the devbox is only for local workloads")
	}
	if s.Spec.LocalMachineID != "" {
		report("spec.localMachineID", "the machine is only for local workloads")
	}
	if ttl := s.Spec.TTL; ttl != nil && s.ttl() == "" {
		report("spec.ttl.offsetFrom", "no janitor knows when a sandbox was last updated; the rendered objects do not expire")
	}
}

// sinceCreated is the offset of a ttl that a janitor can measure: an object's creation. It is the default of sandboxes,
// but not of route groups.
const sinceCreated = "createdAt"

// ttl returns the lifetime of the copies in kube-janitor's format, which has the units of the Sandbox spec. Empty means
// forever.
func (s *input) ttl() string { return sinceCreation(s.Spec.TTL, sinceCreated) }

func (g *routedGroup) ttl() string { return sinceCreation(g.Spec.TTL, "") }

func sinceCreation(ttl *v1alpha1.TTL, defaultOffset string) string {
	if ttl != nil && cmp.Or(ttl.OffsetFrom, defaultOffset) == sinceCreated {
		return ttl.Duration
	}
	return ""
}

// reportGroupTTLs reports ttls of route groups that cannot be rendered.
func (r *renderer) reportGroupTTLs() {
	for _, g := range r.groups {
		if g.Spec.TTL != nil && g.ttl() == "" {
			r.list.Report(krm.At(g.Item, "spec.ttl", krm.Info,
				"not rendered: no janitor knows which sandboxes a route group matches, or when it was last updated; its routes "+
					"do not expire"))
		}
	}
}
