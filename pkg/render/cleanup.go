package render

import (
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
)

// leavesSecrets reports whether steps of either phase have outputs, so that somebody has to remove them.
func leavesSecrets(spec *v1alpha1.ResourcePluginSpec) bool {
	for _, step := range document.Steps(spec) {
		if len(step.Outputs) > 0 {
			return true
		}
	}
	return false
}

// toCleanUp counts the Secrets that the cleanup of a plugin removes.
func toCleanUp(spec *v1alpha1.ResourcePluginSpec) int {
	count := len(spec.Delete)
	for _, step := range spec.Create {
		if len(step.Outputs) > 0 {
			count++
		}
	}
	return count
}

// cleanup adds what ends a delete phase: it waits until all delete steps have published, which those without outputs do
// too, and removes the Secrets of both phases and the copies. What a create step published is of use to the next try
// until then.
func (r *renderer) cleanup() {
	awaited, kept := r.publishing(v1alpha1.PhaseDelete), r.publishing(v1alpha1.PhaseCreate)
	h := helperJob{helper: contract.HelperCleanup, producers: slices.Concat(awaited, kept)}
	var watched []rbacv1.PolicyRule
	for _, s := range awaited {
		h.depth = max(h.depth, s.depth)
		h.plan.Producers = append(h.plan.Producers,
			contract.Producer{Step: s.spec.Name, Generation: r.generations[s.ref], Inputs: []contract.Input{}})
	}
	if len(awaited) > 0 {
		watched = append(watched, rule(r.secretNames(awaited), "watch"))
	}
	h.rules = []secretRules{{r.namespace, append(watched, rule(r.secretNames(h.producers), "delete"))}}
	copied := map[string][]*step{}
	for _, s := range kept {
		copies := r.copiesOf(s)
		h.plan.Producers = append(h.plan.Producers,
			contract.Producer{Step: s.spec.Name, Inputs: []contract.Input{}, Copies: copies})
		for _, namespace := range copies {
			copied[namespace] = append(copied[namespace], s)
		}
	}
	for _, namespace := range r.targets() {
		if steps := copied[namespace]; len(steps) > 0 {
			h.rules = append(h.rules, secretRules{namespace, []rbacv1.PolicyRule{rule(r.secretNames(steps), "delete")}})
		}
	}
	r.helperJob(h)
}
