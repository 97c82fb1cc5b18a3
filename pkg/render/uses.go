package render

import (
	"fmt"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// use is a variable of a fork that takes an output of a resource.
type use struct {
	at        krm.Path // of its source
	namespace string   // the fork's
	from      *v1alpha1.ResourceOutput
}

// uses are the variables of forks that take outputs. What local workloads use is not for the cluster.
func (s *sandbox) uses() (all []use) {
	for i, fork := range s.Spec.Forks {
		if fork.Customizations == nil {
			continue
		}
		for n, env := range fork.Customizations.Env {
			if env.ValueFrom != nil && env.ValueFrom.Resource != nil && env.Operation != "delete" {
				at := krm.Path("spec.forks").Index(i).Key("customizations").Key("env").Index(n)
				all = append(all, use{at.Key("valueFrom").Key("resource"), fork.ForkOf.Namespace, env.ValueFrom.Resource})
			}
		}
	}
	return all
}

// strayUses reports the uses of resources that the sandbox does not have.
func (s *sandbox) strayUses() (results []krm.Result) {
	for _, u := range s.uses() {
		if !slices.ContainsFunc(s.Spec.Resources, func(r v1alpha1.SandboxResource) bool { return r.Name == u.from.Name }) {
			results = append(results, krm.At(s.Item, u.at.Key("name"), krm.Error,
				fmt.Sprintf("must be a resource of this sandbox, not %q", u.from.Name)+moreFindings))
		}
	}
	return results
}

// copies are the outputs of a resource that forks of other namespaces than its own use, by namespace. What forks ask for
// in vain is an error in the create phase; it must not keep the delete phase from running.
func (p *plan) copies(s *sandbox, resource string, phase *compiledPhase) map[string][]v1alpha1.StepOutput {
	var copies map[string][]v1alpha1.StepOutput
	refuse := func(at krm.Path, format string, arg any) {
		if phase.phase == v1alpha1.PhaseCreate {
			p.list.Report(krm.At(s.Item, at, krm.Error, fmt.Sprintf(format, arg)+moreFindings))
		}
	}
	for _, u := range s.uses() {
		if u.from.Name != resource {
			continue
		}
		outputs := document.OutputsOf(phase.spec, u.from.OutputKey)
		switch {
		case len(outputs) == 0:
			refuse(u.at.Key("outputKey"), "must be <step>.<output>, an output of a create step of the resource's plugin, not %q",
				u.from.OutputKey)
		case len(outputs) > 1:
			refuse(u.at.Key("outputKey"), "%s", document.NamesNoStep(u.from.OutputKey, outputs))
		case u.namespace == "" || document.CheckLabel(u.namespace) != "":
			refuse(u.at, "must be of a fork whose namespace is valid, not %q: outputs are copied there", u.namespace)
		case u.namespace != phase.namespace:
			if copies == nil {
				copies = map[string][]v1alpha1.StepOutput{}
			}
			copies[u.namespace] = append(copies[u.namespace], outputs[0])
		}
	}
	return copies
}
