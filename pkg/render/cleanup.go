package render

import (
	"maps"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
)

// leavesSecrets reports whether steps of either phase have outputs, so that their Secrets must be removed.
func leavesSecrets(spec *v1alpha1.ResourcePluginSpec) bool {
	for _, step := range document.Steps(spec) {
		if len(step.Outputs) > 0 {
			return true
		}
	}
	return false
}

// recorded selects the create steps without outputs that have a Secret to record them.
type recorded int

const (
	noSteps recorded = iota
	readers          // those that read outputs
	allSteps
)

// recordedSteps returns as many steps as the cleanup of a plugin can also remove the Secrets of. A plugin without outputs
// needs no helpers, and its steps have none, unless forks wait for all steps.
func recordedSteps(spec *v1alpha1.ResourcePluginSpec, beforeForks bool) recorded {
	switch {
	case beforeForks:
		return allSteps
	case !leavesSecrets(spec):
		return noSteps
	}
	reading, plain := 0, 0
	for _, step := range spec.Create {
		reads := slices.ContainsFunc(step.Inputs, func(input v1alpha1.Input) bool { return input.ValueFromStep != nil })
		switch {
		case len(step.Outputs) > 0:
		case reads:
			reading++
		default:
			plain++
		}
	}
	switch used := toCleanUp(spec); {
	case used+reading+plain <= contract.MaxSecrets:
		return allSteps
	case used+reading <= contract.MaxSecrets:
		return readers
	}
	return noSteps
}

// toCleanUp counts the Secrets that the cleanup of a plugin must remove.
func toCleanUp(spec *v1alpha1.ResourcePluginSpec) int {
	count := len(spec.Delete)
	for _, step := range spec.Create {
		if len(step.Outputs) > 0 {
			count++
		}
	}
	return count
}

// cleanup adds the helper job that ends a delete phase: it waits until all delete steps have published, even those
// without outputs, and removes the Secrets of both phases and the copies. Until then, the outputs of create steps are
// available to retries. It does not wait for abandoned steps, but removes their Secrets, too.
func (r *renderer) cleanup() {
	deleting := r.publishing(v1alpha1.PhaseDelete)
	awaited, kept := r.runs(deleting), r.publishing(v1alpha1.PhaseCreate)
	kept = append(kept, slices.DeleteFunc(deleting, func(s *step) bool { return !r.skips(s) })...)
	h := helperJob{helper: contract.HelperCleanup, producers: slices.Concat(awaited, kept)}
	for _, s := range awaited {
		h.depth = max(h.depth, s.depth)
		h.plan.Producers = append(h.plan.Producers, contract.Producer{
			Step: s.spec.Name, Generation: r.generations[s.ref], Inputs: []contract.Input{}, Ended: r.hasEnded(s),
		})
	}
	h.access = []access{{r.namespace, slices.Concat(
		rule("secrets", "watch", named(awaited, r.secretName)), rule("secrets", "delete", named(h.producers, r.secretName)),
		rule("jobs", "watch", r.jobNames(awaited)))}}
	copied := map[string][]string{}
	for _, s := range kept {
		copies := r.copiesOf(s)
		h.plan.Producers = append(h.plan.Producers,
			contract.Producer{Step: s.spec.Name, Inputs: []contract.Input{}, Copies: copies})
		for _, namespace := range copies {
			copied[namespace] = append(copied[namespace], r.secretName(s))
		}
	}
	for _, s := range r.OutputSecrets {
		h.removed, h.plan.Removes = append(h.removed, s), append(h.plan.Removes, s.Namespace)
		copied[s.Namespace] = append(copied[s.Namespace], s.Name)
	}
	for _, namespace := range slices.Sorted(maps.Keys(copied)) {
		h.allow(access{namespace, rule("secrets", "delete", copied[namespace])})
	}
	r.helperJob(h)
}
