package v1alpha1

import "strings"

// ResourcePluginSpec is the definition of a plugin.
//
// The `aliases` are the keys of the syntax before March 2023.
type ResourcePluginSpec struct {
	// Description documents the purpose of the plugin. The specification allows 255 bytes; a longer one is a warning.
	Description string `json:"description"`
	// Runner defines how steps are executed.
	Runner Runner `json:"runner" required:"true"`
	// Create are the steps that run when the sandbox starts, before its workloads. Steps run in parallel unless one
	// reads an output of another. Nil means absent; a list that is present and empty is against the spec.
	Create []Step `json:"create"`
	// Delete are the steps that run when the sandbox ends, after its workloads. Nil means absent.
	Delete []Step `json:"delete"`
}

// Runner defines how steps are executed.
type Runner struct {
	// Image is the container image in which the script of every step runs.
	Image string `json:"image" required:"true"`
	// Namespace is the namespace in which the steps run; empty means DefaultNamespace.
	Namespace string `json:"namespace"`
	// PodTemplateOverlay is a partial Pod template, as YAML in a text: the base of each step's Pod. It sets resources, volumes,
	// variables, a ServiceAccount or a security context; the container of the script is `main`.
	PodTemplateOverlay string `json:"podTemplateOverlay" aliases:"basePodTemplate"`
}

// Step is one unit of work of a phase: a script with inputs and outputs.
type Step struct {
	// Name is the name by which other steps and sandboxes refer to the step. It is unique across both phases.
	Name string `json:"name" required:"true"`
	// Inputs are the values that the script gets as environment variables or files.
	Inputs []Input `json:"inputs"`
	// Script is the program that the container `main` runs, with its interpreter in the first line, such as `#!/bin/sh`. It
	// must be idempotent: a step runs at least once.
	Script string `json:"script"`
	// Outputs are the files of the script that other steps and workloads read.
	Outputs []Output `json:"outputs"`
}

// Input is a value that a step gets from the sandbox resource or from another step: exactly one of the two.
type Input struct {
	// Name is the name of the input, unique within the step. With ValueFromSandbox it is the name of the param, too.
	Name string `json:"name" required:"true"`
	// Type is accepted and has no effect: it is in Signadot's client model, without documentation.
	Type string `json:"type"`
	// ValueFromSandbox means that the value is the param of that name of the sandbox's resource.
	ValueFromSandbox bool `json:"valueFromSandbox"`
	// ValueFromStep is the output of another step that is the value. The step then waits for the other one.
	ValueFromStep *StepOutput `json:"valueFromStep"`
	// As is the place where the script finds the value; absent means the variable DefaultEnv.
	As *As `json:"as" aliases:"to"`
}

// StepOutput names an output of a step of either phase.
type StepOutput struct {
	// Name is the name of the step.
	Name string `json:"name" required:"true"`
	// Output is the name of an output of that step.
	Output string `json:"output" required:"true" aliases:"value"`
}

// Key returns the outputKey by which sandboxes refer to the output.
func (o StepOutput) Key() string { return o.Name + "." + o.Output }

// As is the place where the script finds an input: an environment variable, a file, or both.
type As struct {
	// Env is the name of an environment variable of the container `main`.
	Env string `json:"env"`
	// Path is a file in the container `main` that has the value. It is read-only.
	Path string `json:"path" aliases:"localPath,file"`
}

// Output is a file that the script writes.
type Output struct {
	// Name is the name of the output, unique within the step. A sandbox refers to the output as `STEP.NAME`.
	Name string `json:"name" required:"true"`
	// Type is accepted and has no effect: it is in Signadot's client model, without documentation.
	Type string `json:"type"`
	// Description documents the output; it has no effect.
	Description string `json:"description"`
	// ValueFromPath is the file that the script writes, in the container `main`. It is read after the script has exited with 0,
	// and its bytes are the value. All outputs of a step together may have 1 MiB.
	ValueFromPath string `json:"valueFromPath" required:"true" aliases:"from"`
}

// DefaultNamespace is the namespace of steps if the runner names none.
const DefaultNamespace = "default"

// Phase is one of a plugin's two workflows.
type Phase string

// The phases of a plugin.
const (
	PhaseCreate Phase = "create"
	PhaseDelete Phase = "delete"
)

// Phases lists the phases in the order of a sandbox's life.
var Phases = []Phase{PhaseCreate, PhaseDelete}

// Workflow returns the steps of a phase.
func (s *ResourcePluginSpec) Workflow(phase Phase) []Step {
	if phase == PhaseDelete {
		return s.Delete
	}
	return s.Create
}

// RunnerNamespace returns the namespace in which the steps run.
func (s *ResourcePluginSpec) RunnerNamespace() string {
	if s.Runner.Namespace == "" {
		return DefaultNamespace
	}
	return s.Runner.Namespace
}

// Env returns the environment variable with the input, or "" if it is only in a file.
func (i *Input) Env() string {
	if i.As == nil || i.As.Env == "" && i.As.Path == "" {
		return DefaultEnv(i.Name)
	}
	return i.As.Env
}

// Path returns the file with the input, or "" if it is only in a variable.
func (i *Input) Path() string {
	if i.As == nil {
		return ""
	}
	return i.As.Path
}

// DefaultEnv is the variable of an input without `as`: its name in upper case, dashes as underscores.
func DefaultEnv(input string) string {
	return strings.ToUpper(strings.ReplaceAll(input, "-", "_"))
}
