package validate

import (
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

var sandboxCluster = Rule{
	ID: "sandbox-cluster", Severity: krm.Error,
	Summary: "A sandbox's cluster has at most 255 bytes.",
	Why:     "Signadot refuses a longer one.",
	Example: "spec.cluster: (a text of more than 255 bytes)",
	checks:  []check{sandboxCheck(func(r *Rule, s *sandbox) { s.Must(r, clusterPath, "", checkLength(s.Spec.Cluster)) })},
}

// routeGroupCluster is about cluster and endpoints[].cluster.
var routeGroupCluster = Rule{
	ID: "route-group-cluster", Severity: krm.Error,
	Summary: "The cluster of a route group, or of one of its endpoints, has at most 255 bytes.",
	Why:     "Signadot refuses a longer one.",
	Example: "spec.cluster: (a text of more than 255 bytes)",
	checks: []check{routeGroupCheck(func(r *Rule, g *routeGroup) {
		g.Must(r, clusterPath, "", checkLength(g.Spec.Cluster))
		for i, e := range g.Spec.Endpoints {
			g.Must(r, endpointPath(i).Key("cluster"), "", checkLength(e.Cluster))
		}
	})},
}
