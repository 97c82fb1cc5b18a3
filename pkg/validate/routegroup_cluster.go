package validate

import "github.com/resource-plugins/krm-functions/pkg/krm"

// routeGroupCluster is about cluster and endpoints[].cluster.
var routeGroupCluster = Rule{
	ID: "route-group-cluster", Severity: krm.Error,
	Demand:  "The cluster of a route group, or of one of its endpoints, has at most 255 bytes.",
	Why:     "Signadot refuses a longer one.",
	Sources: []string{routeGroupSpec},
	Example: "spec.cluster: (a text of more than 255 bytes)",
	checks: []check{routeGroupCheck(func(r *Rule, g *routeGroup) {
		g.must(r, clusterPath, "", checkLength(g.Spec.Cluster))
		for i, e := range g.Spec.Endpoints {
			g.must(r, endpointPath(i).Key("cluster"), "", checkLength(e.Cluster))
		}
	})},
}
