package validate

import (
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

var routeGroupName = Rule{
	ID: "route-group-name", Severity: krm.Error,
	Summary: "A route group's name has letters, digits and inner dashes, starts with a letter, and has at most 30 bytes.",
	Why:     "The name identifies the route group and becomes part of host names.",
	Example: "metadata.name: all_features",
	checks:  []check{routeGroupCheck(func(r *Rule, g *routeGroup) { g.Must(r, namePath, "name", checkName(g.Name)) })},
}

var duplicateRouteGroup = Rule{
	ID: "duplicate-route-group", Severity: krm.Error,
	Summary: "A cluster has one route group of a name.",
	Why:     "The second document would replace the first.",
	Example: "metadata.name: features",
	checks: []check{listCheck{contract.RouteGroup, func(r *Rule, d *documents) {
		for g, other := range repeated(d.routeGroups, (*routeGroup).identity) {
			g.Report(r, namePath, "route group %q is given twice: another%s is in cluster %q too; rename one of them",
				g.Name, Origin(other.Item), g.Spec.Cluster)
		}
	}}},
}

func (g *routeGroup) identity() identity { return identity{g.Name, g.Spec.Cluster} }
