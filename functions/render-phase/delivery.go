package main

import (
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/delivery"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/plugin"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// checkDelivery checks the tool and what it stands.
func (c *config) checkDelivery(wrong func(key krm.Path, format string, args ...any)) {
	tool := delivery.Tool(c.Delivery)
	if !slices.Contains(delivery.Tools[:], tool) {
		names := make([]string, len(delivery.Tools))
		for i, one := range delivery.Tools {
			names[i] = string(one)
		}
		wrong("delivery", "must be one of %s, not %q", strings.Join(names, ", "), c.Delivery)
		return
	}
	if tool.Recreates() && c.Workload == string(render.Pod) {
		wrong("workload", "must be Job with delivery %s, which makes a Pod anew that the cluster has removed, and so runs "+
			"its step again", tool)
	}
	switch hook := delivery.Hook(c.DeleteHook); {
	case hook == "":
	case hook != delivery.PreDelete && hook != delivery.PostDelete:
		wrong("deleteHook", "must be PostDelete or PreDelete, not %q", c.DeleteHook)
	case !tool.HasHooks():
		wrong("deleteHook", "must not be set with delivery %s, which has no hooks", tool)
	}
}

// checkPhases checks that phases which would undo each other are kept apart.
func (c *config) checkPhases(wrong func(key krm.Path, format string, args ...any)) {
	for i, phase := range c.Phases {
		if !slices.Contains(plugin.Phases, plugin.Phase(phase)) {
			wrong(krm.Path("phases").Index(i), "must be create or delete, not %q", phase)
		}
	}
	switch n := len(c.Phases); {
	case n == 1:
	case n != 2 || c.Phases[0] == c.Phases[1]:
		wrong("phases", "must be one phase, or create and delete with delivery argocd or helm, not %d", n)
	case !delivery.Tool(c.Delivery).HasHooks():
		wrong("phases", "must be one phase, not 2: what create makes, delete would remove at once; delivery argocd and "+
			"helm can hold the delete phase back")
	}
}

// phases are those of the config, create first.
func (c *config) phases() []plugin.Phase {
	var phases []plugin.Phase
	for _, phase := range plugin.Phases {
		if slices.Contains(c.Phases, string(phase)) {
			phases = append(phases, phase)
		}
	}
	return phases
}

// due returns the phases of a sandbox, and how they are delivered: a delete phase that comes with the create phase is
// held back, one of an absent sandbox runs at once.
func (p *plan) due(s *subject) ([]plugin.Phase, delivery.Delivery) {
	phases, how := p.phases, p.delivery
	if s.absent {
		phases = []plugin.Phase{plugin.Delete}
	}
	how.Holds = len(phases) == 2
	return phases, how
}
