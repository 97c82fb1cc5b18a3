package validate

import (
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// forkRemoved: Sandbox spec, Updates: whether a fork can be deleted depends on the operator's version.
var forkRemoved = Rule{
	ID: "fork-removed", Severity: krm.Warning,
	Demand:  "A fork that the older state has is not removed from its sandbox (--base, --base-ref).",
	Why:     "Only newer operators delete it.",
	Example: "spec.forks: []",
	sandboxUpdates: func(u *updateCheck) {
		for _, s := range u.sandboxes {
			if s.before.absent() || s.unread("spec.forks") {
				continue
			}
			for _, fork := range s.before.Spec.Forks {
				if !s.after.forks(fork) {
					u.report(&s.after.check, "spec.forks", "the fork of %s is removed: older operators refuse that; "+
						"if yours does, make another sandbox", workloadText(fork.ForkOf))
				}
			}
		}
	},
}

// forks tells whether the sandbox has a fork, by its workload or by its name.
func (s *updatedSandbox) forks(fork v1alpha1.Fork) bool {
	return slices.ContainsFunc(s.Spec.Forks, func(one v1alpha1.Fork) bool {
		return one.ForkOf.Plain() == fork.ForkOf.Plain() || one.Name == fork.Name && one.Name != ""
	})
}

// teardownSkipped: rendering, Two phases, one life: removing the document first runs nothing.
var teardownSkipped = Rule{
	ID: "teardown-skipped", Severity: krm.Warning,
	Demand:  "A sandbox with resources is removed after its teardown only (--base, --base-ref).",
	Why:     "Without its delete phase what the plugins made stays: databases, queues, buckets.",
	Example: "metadata.name: another",
	sandboxUpdates: func(u *updateCheck) {
		if u.Partial {
			return
		}
		for _, s := range u.removed {
			if !s.absent() && (len(s.Spec.Resources) > 0 || s.unsure("spec.resources")) {
				u.report(&s.check, namePath, "sandbox %q is removed without its teardown: nothing deletes what its resources made; "+
					"restore it with the annotation %s: absent, and remove it when its delete phase is done", s.Name, contract.StateKey)
			}
		}
	},
}
