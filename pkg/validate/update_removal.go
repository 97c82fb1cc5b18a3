package validate

import (
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

var forkRemoved = Rule{
	ID: "fork-removed", Severity: krm.Warning,
	Summary: "A fork that the older state has is not removed from its sandbox (--base, --base-ref).",
	Why:     "Only newer versions of Signadot's operator delete it.",
	Example: "spec.forks: []",
	checks: eachChanged(func(r *Rule, s changed) {
		if s.before.absent() || s.unread("spec.forks") {
			return
		}
		for _, fork := range s.before.Spec.Forks {
			kept := slices.ContainsFunc(s.after.Spec.Forks, func(one v1alpha1.Fork) bool {
				return one.ForkOf.Plain() == fork.ForkOf.Plain() || one.Name == fork.Name && one.Name != ""
			})
			if !kept {
				s.after.Report(r, "spec.forks", "the fork of %s is removed: older operators refuse that; "+
					"if yours does, make another sandbox", workloadText(fork.ForkOf))
			}
		}
	}),
}

var teardownSkipped = Rule{
	ID: "teardown-skipped", Severity: krm.Warning,
	Summary: "A sandbox with resources is removed only after its teardown (--base, --base-ref).",
	Why:     "Without its delete phase, what the plugins created stays: databases, queues, buckets.",
	Sources: []string{},
	Example: "metadata.name: another",
	checks: []check{updateCheck{contract.Sandbox, func(r *Rule, u *update) {
		for _, s := range u.removed {
			if !u.Partial && !s.absent() && (len(s.Spec.Resources) > 0 || s.Unsure("spec.resources")) {
				s.Report(r, namePath, "sandbox %q is removed without its teardown: nothing deletes what its resources made; "+
					"restore it with the annotation %s: absent, and remove it when its delete phase is done", s.Name, contract.StateKey)
			}
		}
	}}},
}

// absent reports whether the sandbox is to be torn down. The rule "sandbox-state" reports an invalid state.
func (s *sandbox) absent() bool {
	absent, err := s.IsAbsent()
	return absent && err == nil
}
