package validate

import "github.com/resource-plugins/krm-functions/pkg/krm"

var sandboxDescription = Rule{
	ID: "sandbox-description", Severity: krm.Error,
	Demand:  "A sandbox's description has at most 255 bytes.",
	Why:     "Signadot refuses a longer one.",
	Sources: []string{sandboxSpec},
	Example: "spec.description: (a text of more than 255 bytes)",
	checks: []check{sandboxCheck(func(r *Rule, s *sandbox) {
		s.must(r, descriptionPath, "", checkLength(s.Spec.Description))
	})},
}
