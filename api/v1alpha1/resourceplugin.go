package v1alpha1

import "strings"

// ResourcePluginSpec is what a plugin does. The `aliases` are the keys of the syntax before March 2023.
type ResourcePluginSpec struct {
	// Description says what the plugin is for; at most 255 bytes by the spec, though real ones are longer.
	Description string `json:"description"`
	// Runner says how steps are executed.
	Runner Runner `json:"runner" required:"true"`
	// Create runs when the sandbox starts, before its workloads. Nil means absent; a list that is present and empty is
	// against the spec.
	Create []Step `json:"create"`
	// Delete runs when the sandbox ends, after its workloads. Nil means absent.
	Delete []Step `json:"delete"`
}

// Runner says how steps are executed.
type Runner struct {
	// Image is the container image of every step.
	Image string `json:"image" required:"true"`
	// Namespace is where the steps run; empty means DefaultNamespace.
	Namespace string `json:"namespace"`
	// PodTemplateOverlay is YAML of a partial pod template that each step's Pod is built on.
	PodTemplateOverlay string `json:"podTemplateOverlay" aliases:"basePodTemplate"`
}

// Step is one unit of work of a phase: a script with inputs and outputs.
type Step struct {
	// Name is what other steps and sandboxes refer to; unique across both phases, at most 30 characters.
	Name string `json:"name" required:"true"`
	// Inputs reach the script as environment variables and files.
	Inputs []Input `json:"inputs"`
	// Script is the program that the main container runs, its interpreter in the first line.
	Script string `json:"script"`
	// Outputs are files of the script that other steps and workloads read.
	Outputs []Output `json:"outputs"`
}

// Input is a value that a step gets from the sandbox resource or from another step: exactly one of the two.
type Input struct {
	// Name is unique within the step. With ValueFromSandbox it is the param's name too.
	Name string `json:"name" required:"true"`
	// Type is in Signadot's client model, undocumented and unused.
	Type string `json:"type"`
	// ValueFromSandbox takes the sandbox resource's param of the input's name.
	ValueFromSandbox bool `json:"valueFromSandbox"`
	// ValueFromStep takes an output of another step.
	ValueFromStep *StepOutput `json:"valueFromStep"`
	// As says where the script finds the value; absent means the variable DefaultEnv.
	As *As `json:"as" aliases:"to"`
}

// StepOutput names an output of a step of either phase.
type StepOutput struct {
	// Name is the step's.
	Name string `json:"name" required:"true"`
	// Output is the name of one of its outputs.
	Output string `json:"output" required:"true" aliases:"value"`
}

// Key returns the outputKey by which sandboxes refer to the output.
func (o StepOutput) Key() string { return o.Name + "." + o.Output }

// As says where the script finds an input: an environment variable, a file, or both.
type As struct {
	// Env is a variable of the main container.
	Env string `json:"env"`
	// Path is an absolute path in the main container.
	Path string `json:"path" aliases:"localPath,file"`
}

// Output is a file that the script writes.
type Output struct {
	// Name is unique within the step; a sandbox addresses the output as `<step>.<name>`.
	Name string `json:"name" required:"true"`
	// Type is in Signadot's client model, undocumented and unused.
	Type string `json:"type"`
	// Description is for people.
	Description string `json:"description"`
	// ValueFromPath is the file in the main container, read verbatim after the script succeeded.
	ValueFromPath string `json:"valueFromPath" required:"true" aliases:"from"`
}

// DefaultNamespace is where steps run if the runner names no namespace.
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

// RunnerNamespace returns the namespace that the steps run in.
func (s *ResourcePluginSpec) RunnerNamespace() string {
	if s.Runner.Namespace == "" {
		return DefaultNamespace
	}
	return s.Runner.Namespace
}

// Env returns the environment variable that carries the input, empty if only a file does.
func (i *Input) Env() string {
	if i.As == nil || i.As.Env == "" && i.As.Path == "" {
		return DefaultEnv(i.Name)
	}
	return i.As.Env
}

// Path returns the file that carries the input, empty if only a variable does.
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
