package render

import (
	"maps"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// hasOutput reports whether a create step has the output.
func (c *compiledPhase) hasOutput(output v1alpha1.StepOutput) bool {
	for _, ref := range c.order {
		if s := c.steps[ref]; ref.Phase == v1alpha1.PhaseCreate && s.spec.Name == output.Name {
			return slices.ContainsFunc(s.spec.Outputs, func(o v1alpha1.Output) bool { return o.Name == output.Output })
		}
	}
	return false
}

// targets are the namespaces that outputs are copied to, sorted. Workloads beside the steps read the originals.
func (r *renderer) targets() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(r.Copies)), func(name string) bool { return name == r.namespace })
}

// copiesOf are the namespaces that outputs of a step are copied to, sorted.
func (r *renderer) copiesOf(s *step) []string {
	return slices.DeleteFunc(r.targets(), func(namespace string) bool { return len(r.copied(s, namespace)) == 0 })
}

// copied are the outputs of a step that workloads of a namespace use, in the order in which the step declares them.
func (r *renderer) copied(s *step, namespace string) []contract.Input {
	var outputs []contract.Input
	for _, output := range s.spec.Outputs {
		if slices.Contains(r.Copies[namespace], v1alpha1.StepOutput{Name: s.spec.Name, Output: output.Name}) {
			outputs = append(outputs, contract.Input{Output: output.Name})
		}
	}
	return outputs
}

// copies adds what brings outputs to the Secrets of the same names in other namespaces: for each a workload of its own,
// so that another namespace changes nothing of those that are there.
func (r *renderer) copies() {
	for _, namespace := range r.targets() {
		var used []*step
		for _, s := range r.publishing(v1alpha1.PhaseCreate) {
			if len(r.copied(s, namespace)) > 0 {
				used = append(used, s)
			}
		}
		for some := range slices.Chunk(used, contract.MaxProducers) {
			r.copy(namespace, some)
		}
	}
}

func (r *renderer) copy(namespace string, steps []*step) {
	h := helperJob{helper: contract.HelperCopy, about: namespace, producers: steps}
	for _, s := range steps {
		h.depth = max(h.depth, s.depth)
		h.plan.Producers = append(h.plan.Producers, contract.Producer{
			Step: s.spec.Name, Generation: r.generations[s.ref], Inputs: r.copied(s, namespace), Copies: []string{namespace},
		})
	}
	h.rules = []secretRules{
		{r.namespace, []rbacv1.PolicyRule{rule(r.secretNames(steps), "watch")}},
		{namespace, []rbacv1.PolicyRule{rule(r.secretNames(steps), "patch")}},
	}
	r.helperJob(h)
}
