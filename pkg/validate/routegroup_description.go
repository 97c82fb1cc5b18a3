package validate

import "github.com/resource-plugins/krm-functions/pkg/krm"

var routeGroupDescription = Rule{
	ID: "route-group-description", Severity: krm.Error,
	Demand:  "A route group's description has at most 255 bytes.",
	Why:     "Signadot refuses a longer one.",
	Sources: []string{routeGroupSpec},
	Example: "spec.description: (a text of more than 255 bytes)",
	checks: []check{routeGroupCheck(func(r *Rule, g *routeGroup) {
		g.must(r, descriptionPath, "", checkLength(g.Spec.Description))
	})},
}
