package sandbox

import (
	"iter"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// completeOutputKeys adds the step to outputKeys of forks that name only an output, from the plugins in the list. It
// reports outputKeys that cannot be completed.
func completeOutputKeys(list *krm.ResourceList, sandboxes []*input) {
	var plugins *resolve.Catalog
	for _, s := range sandboxes {
		for at, from := range s.outputs() {
			if strings.Contains(from.OutputKey, ".") {
				continue
			}
			if plugins == nil {
				plugins = resolve.NewCatalog(list.Items())
			}
			outputs, missing := s.outputsOf(plugins, from)
			if len(outputs) == 1 {
				from.OutputKey = outputs[0].Key()
				continue
			}
			list.Report(krm.At(s.Item, at.Key("outputKey"), krm.Error,
				document.NamesNoStep(from.OutputKey, outputs)+missing))
		}
	}
}

// outputs iterates over the outputs that forks use, with their paths. Absent sandboxes have none, since they are not
// rendered.
func (s *input) outputs() iter.Seq2[krm.Path, *v1alpha1.ResourceOutput] {
	return func(yield func(krm.Path, *v1alpha1.ResourceOutput) bool) {
		for i := range s.Spec.Forks {
			customizations := s.Spec.Forks[i].Customizations
			if s.absent || customizations == nil {
				continue
			}
			for n, env := range customizations.Env {
				at := forkPath(i).Key("customizations").Key("env").Index(n).Key("valueFrom").Key("resource")
				if env.ValueFrom != nil && env.ValueFrom.Resource != nil && env.Operation != "delete" &&
					!yield(at, env.ValueFrom.Resource) {
					return
				}
			}
		}
	}
}

// outputsOf returns the outputs that an outputKey can refer to, or why they are not known.
func (s *input) outputsOf(
	plugins *resolve.Catalog, from *v1alpha1.ResourceOutput,
) (outputs []v1alpha1.StepOutput, missing string) {
	i := slices.IndexFunc(s.Spec.Resources, func(r v1alpha1.SandboxResource) bool { return r.Name == from.Name })
	if i < 0 {
		return nil, "" // reported by the rule resource-reference
	}
	choice, err := plugins.Resolve(s.Spec.Resources[i].Plugin)
	if err != nil || choice.Spec == nil {
		return nil, ", and its plugin is not in the list"
	}
	return document.OutputsOf(choice.Spec, from.OutputKey), ""
}
