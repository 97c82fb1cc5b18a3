package sandbox

import (
	"path"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// bindingVolume is the volume with the outputs of all resources, a folder for each.
const bindingVolume = "service-bindings"

// findBindings finds the outputs that forks with the variable SERVICE_BINDING_ROOT get as files, from the plugins in the
// list.
func (r *outputResolver) findBindings(s *input) {
	if s.absent || !s.wantsBindings() {
		return
	}
	for i := range s.Spec.Resources {
		resource, choice := r.plugin(s, &v1alpha1.ResourceOutput{Name: s.Spec.Resources[i].Name})
		if choice == nil {
			r.list.Report(krm.At(s.Item, krm.Path("spec.resources").Index(i).Key("plugin"), krm.Error,
				"must be a plugin in the list: a fork with the variable "+document.BindingRoot+" gets its outputs as files"))
			continue
		}
		s.bind(resource.Name, document.BoundOutputs(choice.Spec), r.generationsOf(s, resource, choice))
	}
}

// wantsBindings reports whether a fork asks for outputs as files.
func (s *input) wantsBindings() bool {
	for _, fork := range s.Spec.Forks {
		for i := 0; fork.Customizations != nil && i < len(fork.Customizations.Env); i++ {
			if document.IsBindingRoot(&fork.Customizations.Env[i]) {
				return true
			}
		}
	}
	return false
}

// bind adds the outputs of a resource to the bindings, each under the key of its generation.
func (s *input) bind(resource string, outputs []v1alpha1.StepOutput, generations map[string]string) {
	if len(outputs) == 0 {
		return
	}
	secret := &corev1.SecretProjection{LocalObjectReference: corev1.LocalObjectReference{
		Name: contract.OutputSecretName(s.id, resource, outputs[0].Name),
	}}
	for _, output := range outputs {
		secret.Items = append(secret.Items, corev1.KeyToPath{
			Key: keyOf(output.Output, generations[output.Name]), Path: path.Join(resource, output.Output),
		})
	}
	s.bindings = append(s.bindings, corev1.VolumeProjection{Secret: secret})
}

// mountBindings mounts the bindings into the containers whose variable asks for them.
func (c *customizer) mountBindings(asked []v1alpha1.Env, at krm.Path) {
	for i := range asked {
		if !document.IsBindingRoot(&asked[i]) || len(c.sandbox.bindings) == 0 {
			continue
		}
		if !path.IsAbs(asked[i].Value) {
			c.report(at.Index(i).Key("value"), krm.Error, "must be the absolute path of a folder, not %q", asked[i].Value)
			continue
		}
		container := c.container(asked[i].Container, at.Index(i))
		if container == nil {
			continue
		}
		upsertNamed(container, "volumeMounts", &corev1.VolumeMount{Name: bindingVolume, MountPath: asked[i].Value, ReadOnly: true})
		upsertNamed(ensure(c.object, "spec", "template", "spec"), "volumes", &corev1.Volume{
			Name:         bindingVolume,
			VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{Sources: c.sandbox.bindings}},
		})
	}
}

// upsertNamed sets the element of a list with the name of the bindings.
func upsertNamed(o object, list string, element any) {
	fresh, err := runtime.DefaultUnstructuredConverter.ToUnstructured(element)
	if err != nil {
		panic(err) // volumes and mounts are JSON
	}
	kept := []any{}
	for _, other := range children(o, list) {
		if text(other, "name") != bindingVolume {
			kept = append(kept, other)
		}
	}
	o[list] = append(kept, fresh)
}
