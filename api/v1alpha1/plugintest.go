package v1alpha1

// PluginTestSpec describes how a plugin is tested on one machine, without a cluster.
type PluginTestSpec struct {
	// Plugin is the plugin under test, as a sandbox refers to it: NAME, NAME@VERSION or NAME@RANGE.
	Plugin string `json:"plugin" required:"true"`
	// Description says what is tested.
	Description string `json:"description"`
	// Fixtures are what the plugin's scripts need beside them, such as a database server. They are started for each life of a
	// case, in their order, each once the one before is ready, and stopped after it.
	Fixtures []Fixture `json:"fixtures"`
	// Secrets are the Secrets that the plugin's podTemplateOverlay refers to.
	Secrets []TestSecret `json:"secrets"`
	// Cases are lives of a sandbox resource: created, checked, deleted, checked.
	Cases []TestCase `json:"cases" required:"true"`
	// Skip are the ids of built-in checks that are left out.
	Skip []string `json:"skip"`
	// TimeoutSeconds is how long a phase, or a check script, may take; 0 means DefaultTestTimeout.
	TimeoutSeconds int `json:"timeoutSeconds"`
}

// DefaultTestTimeout is how many seconds a phase of a test, a check script, or the start of a fixture may take.
const DefaultTestTimeout = 120

// Fixture is a container or a command that runs while a case runs.
type Fixture struct {
	// Name is the fixture's name, and a container's host name in the network of its life.
	Name string `json:"name" required:"true"`
	// Image is the image of a container. Without one the command runs on this machine, in an empty folder of its own.
	Image string `json:"image"`
	// Command is what a container runs in place of its image's command, or what runs on this machine. The first word of a
	// command on this machine may be a path, from the folder of the document's file.
	Command []string `json:"command"`
	// Env are variables of the container or the command.
	Env map[string]string `json:"env"`
	// Port is the port that a container listens on. Of a command any number will do: it must listen on the port that the
	// variable FIXTURE_PORT holds, which is free.
	Port int `json:"port"`
	// Ready is a command that exits with 0 once the fixture is ready, run in the container, or on this machine. It is repeated
	// until it does. Without it a fixture is ready when its port accepts connections, or without a port at once.
	Ready []string `json:"ready"`
	// TimeoutSeconds is how long the fixture may take until it is ready; 0 means DefaultTestTimeout.
	TimeoutSeconds int `json:"timeoutSeconds"`
}

// FixtureValue is a value that is known once a fixture runs.
type FixtureValue struct {
	// Name is the name of the param, or the key of the Secret, that gets the value.
	Name string `json:"name" required:"true"`
	// Fixture is the name of the fixture.
	Fixture string `json:"fixture" required:"true"`
	// Field is which value: the host or the port at which the plugin's scripts reach the fixture.
	Field string `json:"field" required:"true"`
}

// The fields of a FixtureValue.
const (
	FixtureHost = "host"
	FixturePort = "port"
)

// TestSecret is a Secret in the namespace of the plugin's runner. The values are in plain text, so they must be those of
// fixtures.
type TestSecret struct {
	// Name is the Secret's name.
	Name string `json:"name" required:"true"`
	// Data are values by their keys.
	Data map[string]string `json:"data"`
	// FixtureData are values of fixtures; their names are keys.
	FixtureData []FixtureValue `json:"fixtureData"`
}

// TestCase is one life of a sandbox resource.
type TestCase struct {
	// Name is the case's name, and that of its sandbox.
	Name string `json:"name" required:"true"`
	// Params are the params of the sandbox resource.
	Params map[string]string `json:"params"`
	// FixtureParams are params with values of fixtures.
	FixtureParams []FixtureValue `json:"fixtureParams"`
	// Create is what the create phase must do.
	Create PhaseExpectation `json:"create"`
	// Delete is what the delete phase must do.
	Delete PhaseExpectation `json:"delete"`
}

// Expectation returns what a phase must do.
func (c *TestCase) Expectation(phase Phase) *PhaseExpectation {
	if phase == PhaseDelete {
		return &c.Delete
	}
	return &c.Create
}

// PhaseExpectation is what a phase must do. Without `fails` it must succeed.
type PhaseExpectation struct {
	// Outputs are expectations of the outputs of the phase's steps. Outputs that are not listed may have any value.
	Outputs []OutputExpectation `json:"outputs"`
	// Fails means that the phase must fail, and how. After a failed create phase the delete phase runs anyway.
	Fails *ExpectedFailure `json:"fails"`
	// Check is a script that runs on this machine after the phase, in the folder of the document's file, and must exit with 0.
	// Its variables are those of the case: `docs/howto/test.md` lists them.
	Check string `json:"check"`
}

// OutputExpectation is what one output must be: at most one of `equals`, `matches`, `nonEmpty` and `absent`. Without one the
// output must be published.
type OutputExpectation struct {
	// Step is the step's name.
	Step string `json:"step" required:"true"`
	// Output is the output's name.
	Output string `json:"output" required:"true"`
	// Equals is the exact value. `rplug test --update` writes it.
	Equals *string `json:"equals"`
	// Matches is a regular expression (RE2) that the whole value must match.
	Matches string `json:"matches"`
	// NonEmpty means that the value must have at least one byte.
	NonEmpty bool `json:"nonEmpty"`
	// Absent means that the step must not have published the output, since it failed or did not run.
	Absent bool `json:"absent"`
}

// ExpectedFailure is how a phase must fail.
type ExpectedFailure struct {
	// Step is the step that must fail.
	Step string `json:"step" required:"true"`
	// ExitCode is the exit code that its script must have; 0 means any but 0.
	ExitCode int `json:"exitCode"`
	// Message is a regular expression (RE2) that must match a part of the step's log or of the failure's message.
	Message string `json:"message"`
}

// The built-in checks of a plugin, by what PluginTestSpec.Skip calls them.
const (
	// CheckInputsRead is that each step's script reads each of its inputs.
	CheckInputsRead = "inputs-read"
	// CheckOutputsRead is that a step, a sandbox or an expectation reads each output.
	CheckOutputsRead = "outputs-read"
	// CheckCreateTwice is that a second create phase succeeds with the same outputs, though all its steps run again.
	CheckCreateTwice = "create-twice"
	// CheckCreateAfterKill is that the create phase succeeds after each of its steps was killed.
	CheckCreateAfterKill = "create-after-kill"
	// CheckDeleteTwice is that a second delete phase succeeds, though all its steps run again.
	CheckDeleteTwice = "delete-twice"
	// CheckDeleteAfterHalfCreate is that the delete phase succeeds after a create phase that was killed in each of its steps.
	CheckDeleteAfterHalfCreate = "delete-after-half-create"
	// CheckNothingLeft is that no output is left after the delete phase.
	CheckNothingLeft = "nothing-left"
)

// BuiltinChecks are the ids of the built-in checks, in the order in which they run.
func BuiltinChecks() []string {
	return []string{
		CheckInputsRead, CheckOutputsRead, CheckCreateTwice, CheckDeleteTwice, CheckNothingLeft, CheckCreateAfterKill,
		CheckDeleteAfterHalfCreate,
	}
}
