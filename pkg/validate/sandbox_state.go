package validate

import (
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// sandboxState is about the annotation resourceplugins.dev/state.
var sandboxState = Rule{
	ID: "sandbox-state", Severity: krm.Error,
	Demand:  `A sandbox's annotation resourceplugins.dev/state is "absent" or "present", if it is set.`,
	Why:     "Any other value does not say whether the sandbox is to be torn down: all functions refuse it.",
	Example: `metadata.annotations: {resourceplugins.dev/state: Absent}`,
	checks: []check{sandboxCheck(func(r *Rule, s *sandbox) {
		if _, err := s.IsAbsent(); err != nil {
			s.report(r, document.StatePath(), "%v", err)
		}
	})},
}
