package validate

import "github.com/resource-plugins/krm-functions/pkg/krm"

var sandboxCluster = Rule{
	ID: "sandbox-cluster", Severity: krm.Error,
	Demand:  "A sandbox's cluster has at most 255 bytes.",
	Why:     "Signadot refuses a longer one.",
	Sources: []string{sandboxSpec},
	Example: "spec.cluster: (a text of more than 255 bytes)",
	checks:  []check{sandboxCheck(func(r *Rule, s *sandbox) { s.must(r, clusterPath, "", checkLength(s.Spec.Cluster)) })},
}
