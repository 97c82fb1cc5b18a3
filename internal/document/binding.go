package document

import (
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
)

// BindingRoot is the variable of the Service Binding specification with the folder of bindings: a fork that sets it to a
// value gets the outputs of each resource as files in it. See
// https://servicebinding.io/spec/core/1.1.0/#workload-projection.
const BindingRoot = "SERVICE_BINDING_ROOT"

// IsBindingRoot reports whether a variable of a fork asks for the outputs as files.
func IsBindingRoot(env *v1alpha1.Env) bool {
	return env.Name == BindingRoot && env.Value != "" && env.ValueFrom == nil && env.Operation != "delete"
}

// BoundOutputs returns the outputs that a binding has as files: those of the first create step with the output "type", which
// a binding must have; none if there is no such step.
func BoundOutputs(spec *v1alpha1.ResourcePluginSpec) (outputs []v1alpha1.StepOutput) {
	for _, step := range spec.Create {
		if !slices.ContainsFunc(step.Outputs, func(o v1alpha1.Output) bool { return o.Name == "type" }) {
			continue
		}
		for _, output := range step.Outputs {
			outputs = append(outputs, v1alpha1.StepOutput{Name: step.Name, Output: output.Name})
		}
		return outputs
	}
	return nil
}
