package v1alpha1

import "strings"

// OutputSecretSpec describes the content of the Secret.
type OutputSecretSpec struct {
	// Sandbox is the name of the sandbox, which is in the same input.
	Sandbox string `json:"sandbox" required:"true"`
	// Resource is the name of a resource of the sandbox.
	Resource string `json:"resource" required:"true"`
	// Data has the keys of the Secret, and for each the output that is its value: `STEP.OUTPUT` of the plugin's create phase.
	Data map[string]string `json:"data" required:"true"`
}

// Output returns the output that is the value of a key.
func (s *OutputSecretSpec) Output(key string) StepOutput {
	step, output, _ := strings.Cut(s.Data[key], ".")
	return StepOutput{Name: step, Output: output}
}
