package render

import (
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/manifest"
)

// leavesSecrets tells whether steps of either phase have outputs, so that somebody has to remove them.
func leavesSecrets(spec *v1alpha1.ResourcePluginSpec) bool {
	for _, step := range document.Steps(spec) {
		if len(step.Outputs) > 0 {
			return true
		}
	}
	return false
}

// CleansUp tells whether what is rendered ends with the removal of Secrets.
func (b *Blueprint) CleansUp() bool { return b.cleansUp }

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
func (r *rendering) cleanup() {
	awaited, kept := r.publishing(v1alpha1.PhaseDelete), r.publishing(v1alpha1.PhaseCreate)
	a := attendant{helper: contract.HelperCleanup, producers: slices.Concat(awaited, kept)}
	var watched manifest.List
	for _, s := range awaited {
		a.depth = max(a.depth, s.depth)
		a.plan.Producers = append(a.plan.Producers,
			contract.Producer{Step: s.spec.Name, Generation: r.generations[s.ref], Inputs: []contract.Input{}})
	}
	if len(awaited) > 0 {
		watched = append(watched, rule(r.secretNames(awaited), "watch"))
	}
	a.grants = []grant{{r.namespace, append(watched, rule(r.secretNames(a.producers), "delete"))}}
	copied := map[string][]*step{}
	for _, s := range kept {
		copies := r.copiesOf(s)
		a.plan.Producers = append(a.plan.Producers,
			contract.Producer{Step: s.spec.Name, Inputs: []contract.Input{}, Copies: copies})
		for _, namespace := range copies {
			copied[namespace] = append(copied[namespace], s)
		}
	}
	for _, namespace := range r.targets() {
		if steps := copied[namespace]; len(steps) > 0 {
			a.grants = append(a.grants, grant{namespace, manifest.List{rule(r.secretNames(steps), "delete")}})
		}
	}
	r.attend(a)
}
