package validate

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

var pluginDescription = Rule{
	ID: "plugin-description", Severity: krm.Warning,
	Summary: "A plugin's description has at most 255 bytes.",
	Why:     "The specification says so, though longer ones are in use.",
	Example: "spec.description: (a text of more than 255 bytes)",
	checks: []check{pluginCheck(func(r *Rule, p *plugin) {
		p.Must(r, descriptionPath, "", checkLength(p.Spec.Description))
	})},
}

var sandboxDescription = Rule{
	ID: "sandbox-description", Severity: krm.Error,
	Summary: "A sandbox's description has at most 255 bytes.",
	Why:     "Signadot refuses a longer one.",
	Example: "spec.description: (a text of more than 255 bytes)",
	checks: []check{sandboxCheck(func(r *Rule, s *sandbox) {
		s.Must(r, descriptionPath, "", checkLength(s.Spec.Description))
	})},
}

var routeGroupDescription = Rule{
	ID: "route-group-description", Severity: krm.Error,
	Summary: "A route group's description has at most 255 bytes.",
	Why:     "Signadot refuses a longer one.",
	Example: "spec.description: (a text of more than 255 bytes)",
	checks: []check{routeGroupCheck(func(r *Rule, g *routeGroup) {
		g.Must(r, descriptionPath, "", checkLength(g.Spec.Description))
	})},
}

// checkLength checks the limit of the specifications for texts, 255 bytes.
func checkLength(text string) string {
	if len(text) > 255 {
		return fmt.Sprintf("must have at most 255 bytes, not %d", len(text))
	}
	return ""
}
