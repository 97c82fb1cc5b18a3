package plugin

// Spec is what a plugin does. Source of every field: the ResourcePlugin spec.
type Spec struct {
	// Description says what the plugin is for; at most 255 bytes by the spec, though real ones are longer.
	Description string `json:"description"`
	// Runner says how steps are executed.
	Runner Runner `json:"runner" required:"true"`
	// Create runs when the sandbox starts, before its workloads.
	Create []Step `json:"create"`
	// Delete runs when the sandbox ends, after its workloads.
	Delete []Step `json:"delete"`
}

// Runner says how steps are executed.
type Runner struct {
	// Image is the container image of every step.
	Image string `json:"image" required:"true"`
	// Namespace is where the steps run; empty means "default".
	Namespace string `json:"namespace"`
	// PodTemplateOverlay is YAML of a partial pod template that each step's Pod is built on.
	PodTemplateOverlay string `json:"podTemplateOverlay" was:"basePodTemplate"`
}

// Step is one unit of work of a phase: a script with inputs and outputs.
type Step struct {
	Name string `json:"name" required:"true"`
	// Inputs reach the script as environment variables and files.
	Inputs []Input `json:"inputs" was:"env"`
	// Script is the program that the main container runs, its interpreter in the first line.
	Script string `json:"script"`
	// Outputs are files of the script that other steps and workloads read.
	Outputs []Output `json:"outputs"`
}

// Input is a value that a step gets from the sandbox resource or from another step.
type Input struct {
	Name string `json:"name" required:"true"`
	// Type is in the vendor's model, undocumented and unused.
	Type string `json:"type"`
	// ValueFromSandbox takes the sandbox resource's param of the input's name.
	ValueFromSandbox bool `json:"valueFromSandbox"`
	// ValueFromStep takes an output of another step.
	ValueFromStep *StepOutput `json:"valueFromStep"`
	// As says where the script finds the value; absent means the variable DefaultEnv.
	As *As `json:"as" was:"to"`
}

// StepOutput names an output of a step.
type StepOutput struct {
	Name   string `json:"name" required:"true"`
	Output string `json:"output" required:"true" was:"value"`
}

// As says where the script finds an input: an environment variable, a file, or both.
type As struct {
	Env  string `json:"env"`
	Path string `json:"path" was:"localPath,file"`
}

// Output is a file that the script leaves.
type Output struct {
	Name string `json:"name" required:"true"`
	// Type is in the vendor's model, undocumented and unused.
	Type        string `json:"type"`
	Description string `json:"description"`
	// ValueFromPath is the file in the main container, read verbatim after the script ended well.
	ValueFromPath string `json:"valueFromPath" was:"from"`
}
