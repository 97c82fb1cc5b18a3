package v1alpha1

import "strings"

// Env sets or deletes a variable of a container.
type Env struct {
	Name string `json:"name" required:"true"`
	// Container is the container's name; empty means the first one of the Pod.
	Container string `json:"container"`
	// Operation is upsert (the default) or delete.
	Operation string `json:"operation"`
	// Value and ValueFrom exclude each other.
	Value     string     `json:"value"`
	ValueFrom *EnvSource `json:"valueFrom"`
}

// EnvSource is where a variable's value comes from: exactly one of its fields.
type EnvSource struct {
	Resource  *ResourceOutput `json:"resource"`
	Fork      *ForkExpression `json:"fork"`
	ConfigMap *KeyReference   `json:"configMap"`
	Secret    *KeyReference   `json:"secret"`
}

// FileSource is where a local file's content comes from: exactly one of its fields.
type FileSource struct {
	Resource  *ResourceOutput `json:"resource"`
	ConfigMap *KeysReference  `json:"configMap"`
	Secret    *KeysReference  `json:"secret"`
}

// ResourceOutput names an output of a resource of this sandbox.
type ResourceOutput struct {
	Name string `json:"name" required:"true"`
	// OutputKey is `<step>.<output>` of the plugin's create phase. In an old form it is the output's name alone.
	OutputKey string `json:"outputKey" required:"true"`
}

// StepOutput returns the two names in the OutputKey; the second is empty in the old form without a dot.
func (r *ResourceOutput) StepOutput() (step, output string) {
	step, output, _ = strings.Cut(r.OutputKey, ".")
	return step, output
}

// ForkExpression takes a value from another fork.
type ForkExpression struct {
	ForkOf Workload `json:"forkOf" required:"true"`
	// Expression is a template over the fork, such as `{{.Service.Host}}`.
	Expression string `json:"expression" required:"true"`
}

// KeyReference names a key of a ConfigMap or a Secret.
type KeyReference struct {
	Name     string `json:"name" required:"true"`
	Key      string `json:"key" required:"true"`
	Optional bool   `json:"optional"`
}

// KeysReference names a ConfigMap or a Secret as the source of a file. The model calls it a map and requires nothing of
// it, so a reference without a key is allowed.
type KeysReference struct {
	Name     string `json:"name" required:"true"`
	Key      string `json:"key"`
	Optional bool   `json:"optional"`
}
