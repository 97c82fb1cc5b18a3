package v1alpha1

import "strings"

// Env sets or deletes a variable of a container.
type Env struct {
	// Name is the name of the variable.
	Name string `json:"name" required:"true"`
	// Container is the name of the container; empty means the first one of the Pod.
	Container string `json:"container"`
	// Operation is the change of the variable. The default is upsert.
	Operation string `json:"operation"`
	// Value is the value of the variable.
	Value string `json:"value"`
	// ValueFrom is the source of the value, in place of `value`.
	ValueFrom *EnvSource `json:"valueFrom"`
}

// EnvSource is the source of a variable's value: exactly one of its fields.
type EnvSource struct {
	// Resource is an output of a resource of this sandbox.
	Resource *ResourceOutput `json:"resource"`
	// Fork is a value that is derived from another fork of this sandbox.
	Fork *ForkExpression `json:"fork"`
	// ConfigMap is a key of a ConfigMap.
	ConfigMap *KeyReference `json:"configMap"`
	// Secret is a key of a Secret.
	Secret *KeyReference `json:"secret"`
}

// FileSource is the source of a local file's content: exactly one of its fields.
type FileSource struct {
	// Resource is an output of a resource of this sandbox.
	Resource *ResourceOutput `json:"resource"`
	// ConfigMap is a key of a ConfigMap, or all of them.
	ConfigMap *KeysReference `json:"configMap"`
	// Secret is a key of a Secret, or all of them.
	Secret *KeysReference `json:"secret"`
}

// ResourceOutput names an output of a resource of this sandbox.
type ResourceOutput struct {
	// Name is the name of the resource.
	Name string `json:"name" required:"true"`
	// OutputKey is `STEP.OUTPUT` of the plugin's create phase. In an old form it is only the name of the output.
	OutputKey string `json:"outputKey" required:"true"`
}

// StepOutput returns the two names in the OutputKey; the second is empty in the old form without a dot.
func (r *ResourceOutput) StepOutput() (step, output string) {
	step, output, _ = strings.Cut(r.OutputKey, ".")
	return step, output
}

// ForkExpression takes a value from another fork.
type ForkExpression struct {
	// ForkOf is the baseline of the other fork.
	ForkOf Workload `json:"forkOf" required:"true"`
	// Expression is a template: `{{ .Service.Host }}` and `{{ .Service.Port }}` of the fork's first Service are
	// rendered, others are rejected.
	Expression string `json:"expression" required:"true"`
}

// KeyReference names a key of a ConfigMap or a Secret.
type KeyReference struct {
	// Name is the name of the ConfigMap or Secret, in the namespace of the workload.
	Name string `json:"name" required:"true"`
	// Key is the key.
	Key string `json:"key" required:"true"`
	// Optional means that the workload starts if the key does not exist.
	Optional bool `json:"optional"`
}

// KeysReference names a ConfigMap or a Secret as the source of a file.
//
// The model calls it a map and has no required fields, so a reference without a key is allowed.
type KeysReference struct {
	// Name is the name of the ConfigMap or Secret.
	Name string `json:"name" required:"true"`
	// Key is the key; empty means all keys.
	Key string `json:"key"`
	// Optional means that the workload starts if it does not exist.
	Optional bool `json:"optional"`
}
