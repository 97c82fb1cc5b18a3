package v1alpha1

// PluginTestSpec describes how a plugin is tested on this machine by `rplug test`.
type PluginTestSpec struct {
	// Plugin is the plugin under test, as a sandbox refers to it: NAME, NAME@VERSION or NAME@RANGE.
	Plugin string `json:"plugin"`
	// Fixtures are what the plugin's scripts need beside them, such as a database server. They are started before each case,
	// in their order, and stopped after it.
	Fixtures []Fixture `json:"fixtures,omitempty"`
	// Cases are lives of one sandbox resource: created, checked, deleted, checked.
	Cases []TestCase `json:"cases"`
	// Skip are the ids of built-in checks that are left out: see `rplug help test`.
	Skip []string `json:"skip,omitempty"`
}

// Fixture is a container or a command that runs while a case runs.
type Fixture struct {
	// Name is the fixture's name; a container's host name in the network of the case.
	Name string `json:"name"`
	// Image is the image of a container. Either an image or a command must be set.
	Image string `json:"image,omitempty"`
	// Command is what the container runs in place of its image's command, or without an image what runs on this machine.
	Command []string `json:"command,omitempty"`
	// Env are variables of the container or command.
	Env map[string]string `json:"env,omitempty"`
	// Ready is a command that exits with 0 once the fixture is ready: in the container, or on this machine. It is repeated.
	Ready []string `json:"ready,omitempty"`
	// TimeoutSeconds is how long the fixture may take until it is ready; 60 by default.
	TimeoutSeconds int `json:"timeoutSeconds,omitempty"`
}

// TestCase is one life of a sandbox resource.
type TestCase struct {
	// Name is the case's name.
	Name string `json:"name"`
	// Params are the params of the sandbox resource.
	Params map[string]string `json:"params,omitempty"`
	// Create is what is expected of the create phase.
	Create PhaseExpectation `json:"create,omitempty"`
	// Delete is what is expected of the delete phase.
	Delete PhaseExpectation `json:"delete,omitempty"`
}

// PhaseExpectation is what a phase must leave behind.
type PhaseExpectation struct {
	// Outputs are expectations of the outputs of steps. Outputs that are not listed may have any value.
	Outputs []OutputExpectation `json:"outputs,omitempty"`
	// Fails means that the phase must fail. The delete phase runs all the same.
	Fails *ExpectedFailure `json:"fails,omitempty"`
	// Check is a script that runs on this machine after the phase. It must exit with 0. The outputs are variables
	// OUTPUT_STEP_NAME, in upper case with _ for other characters.
	Check string `json:"check,omitempty"`
}

// OutputExpectation is what one output must be. At most one of the expectations may be set; without one the output must
// exist.
type OutputExpectation struct {
	// Step is the step's name.
	Step string `json:"step"`
	// Output is the output's name.
	Output string `json:"output"`
	// Equals is the exact value.
	Equals *string `json:"equals,omitempty"`
	// Matches is a regular expression (RE2) that the whole value must match.
	Matches string `json:"matches,omitempty"`
	// NonEmpty means that the value must have at least one byte.
	NonEmpty bool `json:"nonEmpty,omitempty"`
	// Absent means that the step must not have published the output.
	Absent bool `json:"absent,omitempty"`
}

// ExpectedFailure is how a phase must fail.
type ExpectedFailure struct {
	// Step is the step that must fail.
	Step string `json:"step"`
	// ExitCode is the exit code that its script must have; 0 means any but 0.
	ExitCode int `json:"exitCode,omitempty"`
	// Message is a regular expression (RE2) that the failure's message must contain a match of.
	Message string `json:"message,omitempty"`
}
