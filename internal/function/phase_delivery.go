package function

import (
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// checkDelivery checks the tool and what it stands.
func (c *phaseConfig) checkDelivery(wrong func(key krm.Path, format string, args ...any)) {
	tool := render.Tool(c.Delivery)
	if !slices.Contains(render.Tools[:], tool) {
		names := make([]string, len(render.Tools))
		for i, one := range render.Tools {
			names[i] = string(one)
		}
		wrong("delivery", "must be one of %s, not %q", strings.Join(names, ", "), c.Delivery)
		return
	}
	if tool.Recreates() && c.Workload == string(render.Pod) {
		wrong("workload", "must be Job with delivery %s, which makes a Pod anew that the cluster has removed, and so runs "+
			"its step again", tool)
	}
	switch hook := render.Hook(c.DeleteHook); {
	case hook == "":
	case hook != render.PreDelete && hook != render.PostDelete:
		wrong("deleteHook", "must be PostDelete or PreDelete, not %q", c.DeleteHook)
	case !tool.HasHooks():
		wrong("deleteHook", "must not be set with delivery %s, which has no hooks", tool)
	}
}

// checkPhases checks that phases which would undo each other are kept apart.
func (c *phaseConfig) checkPhases(wrong func(key krm.Path, format string, args ...any)) {
	for i, phase := range c.Phases {
		if !slices.Contains(v1alpha1.Phases, v1alpha1.Phase(phase)) {
			wrong(krm.Path("phases").Index(i), "must be create or delete, not %q", phase)
		}
	}
	switch n := len(c.Phases); {
	case n == 1:
	case n != 2 || c.Phases[0] == c.Phases[1]:
		wrong("phases", "must be one phase, or create and delete with delivery argocd or helm, not %d", n)
	case !render.Tool(c.Delivery).HasHooks():
		wrong("phases", "must be one phase, not 2: what create makes, delete would remove at once; delivery argocd and "+
			"helm can hold the delete phase back")
	}
}

// phases are those of the config, create first.
func (c *phaseConfig) phases() []v1alpha1.Phase {
	var phases []v1alpha1.Phase
	for _, phase := range v1alpha1.Phases {
		if slices.Contains(c.Phases, string(phase)) {
			phases = append(phases, phase)
		}
	}
	return phases
}

// due returns the phases of a sandbox, and how they are delivered: a delete phase that comes with the create phase is
// held back, one of an absent sandbox runs at once.
func (p *plan) due(s *phaseSubject) ([]v1alpha1.Phase, render.Delivery) {
	phases, how := p.phases, p.delivery
	if s.absent {
		phases = []v1alpha1.Phase{v1alpha1.PhaseDelete}
	}
	how.Holds = len(phases) == 2
	return phases, how
}
