package sandbox

import (
	"fmt"
	"iter"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// outputResolver resolves the outputs that forks use, with the plugins in the list.
type outputResolver struct {
	list        *krm.ResourceList
	plugins     *resolve.Catalog // nil until an output is used
	generations map[*krm.Item]*render.Generations
	indexes     map[*v1alpha1.ResourcePluginSpec]*document.OutputIndex

	of        *input // the sandbox of resources
	resources map[string]*v1alpha1.SandboxResource
}

// resolveOutputs finds the generations of the steps whose outputs forks use, and adds the step to outputKeys that name
// only an output. It reports outputKeys that cannot be completed. A fork whose plugin is not in the list has no
// generation: it reads outputs that any render has published. It returns the OutputSecrets, with their generations.
func resolveOutputs(list *krm.ResourceList, sandboxes []*input) ([]outputSecret, error) {
	r := &outputResolver{list: list, generations: map[*krm.Item]*render.Generations{},
		indexes: map[*v1alpha1.ResourcePluginSpec]*document.OutputIndex{}}
	for _, s := range sandboxes {
		r.findBindings(s)
		if s.last && !s.absent {
			r.findSteps(s)
		}
		ofResource := map[string]map[string]string{}
		for at, from := range s.outputs() {
			resource, choice := r.plugin(s, from)
			isComplete := strings.Contains(from.OutputKey, ".") || r.complete(s, at, from, choice)
			if !isComplete || choice == nil {
				continue
			}
			if ofResource[from.Name] == nil {
				ofResource[from.Name] = r.generationsOf(s, resource, choice)
			}
			step, _ := from.StepOutput()
			s.generations[from] = ofResource[from.Name][step]
		}
	}
	return r.readOutputSecrets(sandboxes)
}

// plugin returns the resource of an output, and its plugin; nil if they are unknown.
func (r *outputResolver) plugin(s *input, from *v1alpha1.ResourceOutput) (*v1alpha1.SandboxResource, *resolve.Choice) {
	resource := r.resource(s, from.Name)
	if resource == nil {
		return nil, nil
	}
	if r.plugins == nil {
		r.plugins = resolve.NewCatalog(r.list.Items())
	}
	choice, err := r.plugins.Resolve(resource.Plugin)
	if err != nil || choice.Spec == nil {
		return resource, nil
	}
	return resource, choice
}

// resource returns the resource of a sandbox with a name, nil if it has none.
func (r *outputResolver) resource(s *input, name string) *v1alpha1.SandboxResource {
	if r.of != s {
		r.of, r.resources = s, make(map[string]*v1alpha1.SandboxResource, len(s.Spec.Resources))
		for i := range s.Spec.Resources {
			if one := &s.Spec.Resources[i]; r.resources[one.Name] == nil {
				r.resources[one.Name] = one
			}
		}
	}
	return r.resources[name]
}

// indexOf returns the outputs of a plugin, which many variables may look up.
func (r *outputResolver) indexOf(spec *v1alpha1.ResourcePluginSpec) *document.OutputIndex {
	if r.indexes[spec] == nil {
		r.indexes[spec] = document.NewOutputIndex(spec)
	}
	return r.indexes[spec]
}

// complete adds the step to an outputKey that names only an output, or reports why that is not possible.
func (r *outputResolver) complete(s *input, at krm.Path, from *v1alpha1.ResourceOutput, choice *resolve.Choice) bool {
	var outputs []v1alpha1.StepOutput
	missing := ""
	if choice != nil {
		outputs = r.indexOf(choice.Spec).Of(from.OutputKey)
	} else if r.resource(s, from.Name) != nil {
		missing = ", and its plugin is not in the list"
	}
	if len(outputs) != 1 {
		r.list.Report(krm.At(s.Item, at.Key("outputKey"), krm.Error, document.NamesNoStep(from.OutputKey, outputs)+missing))
		return false
	}
	from.OutputKey = outputs[0].Key()
	return true
}

// findSteps sets the variables by which the forks of a sandbox wait for the end of all create steps: each refers to a key
// that the last steps publish.
func (r *outputResolver) findSteps(s *input) {
	for i := range s.Spec.Resources {
		resource, choice := r.plugin(s, &v1alpha1.ResourceOutput{Name: s.Spec.Resources[i].Name})
		if choice == nil {
			r.list.Report(krm.At(s.Item, document.ForkStartPath(), krm.Error, fmt.Sprintf(
				"the plugin of resource %q must be in the list, so that forks can wait for its create steps", s.Spec.Resources[i].Name)))
			continue
		}
		generations := r.generationsOf(s, resource, choice)
		for _, step := range r.generations[choice.Item].Last() {
			variable := corev1.EnvVar{Name: contract.CreatedVariable(len(s.created))}
			variable.ValueFrom = secretKey(v1alpha1.KeyReference{
				Name: contract.OutputSecretName(s.id, resource.Name, step), Key: contract.CreatedKey(generations[step]),
			})
			s.created = append(s.created, variable)
		}
	}
}

func (r *outputResolver) generationsOf(
	s *input, resource *v1alpha1.SandboxResource, choice *resolve.Choice,
) map[string]string {
	if s.generations == nil {
		s.generations = map[*v1alpha1.ResourceOutput]string{}
	}
	if r.generations[choice.Item] == nil {
		r.generations[choice.Item] = render.NewGenerations(choice.Spec)
	}
	inputs := render.GenerationInputs{SandboxID: s.id, Resource: resource.Name, Params: resource.Params}
	if s.ownKey {
		inputs.RoutingKey = s.key
	}
	return r.generations[choice.Item].Of(inputs)
}

// keyOf returns the key of an output in its Secret: that of the generation for workloads, if it is known.
func keyOf(output, generation string) string {
	if generation == "" {
		return output
	}
	return contract.WorkloadKey(output, generation)
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
