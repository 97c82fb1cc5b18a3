package v1alpha1

// PluginTestSpec describes how a plugin is tested on one machine, without a cluster.
type PluginTestSpec struct {
	// Plugin is the plugin under test, as a sandbox refers to it: NAME, NAME@VERSION or NAME@RANGE.
	Plugin string `json:"plugin" required:"true"`
	// Description documents the purpose of the test.
	Description string `json:"description"`
	// Fixtures are services that the plugin's scripts need, such as a database server. They are started for each run of
	// a case, in order, each once the previous one is ready, and stopped after it.
	Fixtures []Fixture `json:"fixtures"`
	// ShareFixtures means that the fixtures are started once for all cases, which run in sequence.
	ShareFixtures bool `json:"shareFixtures"`
	// Secrets are the Secrets that the plugin's podTemplateOverlay refers to.
	Secrets []TestSecret `json:"secrets"`
	// Cases are runs of a sandbox resource: created, checked, deleted, checked.
	Cases []TestCase `json:"cases" required:"true"`
	// Skip are the ids of built-in checks to leave out.
	Skip []string `json:"skip"`
	// CreateBeforeDelete means that a sandbox whose create phase was interrupted is created again before it is deleted, since
	// a delete step reads an output of a create step. `delete-after-half-create` then does the same.
	CreateBeforeDelete bool `json:"createBeforeDelete"`
	// TimeoutSeconds is the time limit of a phase or a check script; 0 means DefaultTestTimeout.
	TimeoutSeconds int `json:"timeoutSeconds"`
}

// DefaultTestTimeout is the time limit of a phase of a test, a check script, or the start of a fixture, in seconds.
const DefaultTestTimeout = 120

// Fixture is a container or a command that runs while a case runs.
type Fixture struct {
	// Name is the fixture's name, and a container's host name in the network of its case.
	Name string `json:"name" required:"true"`
	// Image is the image of a container. Without one the command runs on this machine, in its own empty folder.
	Image string `json:"image"`
	// Command replaces the command of a container's image, or is run on this machine. The first word of a command on
	// this machine may be a path, from the folder of the document's file.
	Command []string `json:"command"`
	// Env are variables of the container or the command.
	Env map[string]string `json:"env"`
	// Port is the port on which a container listens. For a command it may be any number: the command must listen on the
	// port in the variable FIXTURE_PORT, which is free.
	Port int `json:"port"`
	// Ready is a command that exits with 0 once the fixture is ready, run in the container, or on this machine. It is
	// repeated until it does. Without it a fixture is ready when its port accepts connections, or without a port at
	// once.
	Ready []string `json:"ready"`
	// State is a command that prints the contents of the fixture, such as the names of databases. It runs like Ready.
	// If a phase runs a second time, it must print the same as before.
	State []string `json:"state"`
	// TimeoutSeconds is the time limit for the fixture to be ready; 0 means DefaultTestTimeout.
	TimeoutSeconds int `json:"timeoutSeconds"`
}

// FixtureValue is a value that is known once a fixture runs.
type FixtureValue struct {
	// Name is the name of the param, or the key of the Secret, that gets the value.
	Name string `json:"name" required:"true"`
	// Fixture is the name of the fixture.
	Fixture string `json:"fixture" required:"true"`
	// Field is the kind of value: the host or the port at which the plugin's scripts reach the fixture.
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

// TestCase is one run of a sandbox resource: it is created and deleted.
type TestCase struct {
	// Name is the case's name, and that of its sandbox.
	Name string `json:"name" required:"true"`
	// Params are the params of the sandbox resource.
	Params map[string]string `json:"params"`
	// FixtureParams are params with values of fixtures.
	FixtureParams []FixtureValue `json:"fixtureParams"`
	// Create are the expected results of the create phase.
	Create PhaseExpectation `json:"create"`
	// Delete are the expected results of the delete phase.
	Delete PhaseExpectation `json:"delete"`
}

// Expectation returns the expected results of a phase.
func (c *TestCase) Expectation(phase Phase) *PhaseExpectation {
	if phase == PhaseDelete {
		return &c.Delete
	}
	return &c.Create
}

// PhaseExpectation is the expected results of a phase. Without `fails` it must succeed.
type PhaseExpectation struct {
	// Outputs are expectations of the outputs of the phase's steps. Outputs that are not listed may have any value.
	Outputs []OutputExpectation `json:"outputs"`
	// Fails means that the phase must fail, and how. After a failed create phase the delete phase runs anyway.
	Fails *ExpectedFailure `json:"fails"`
	// Check is a script that runs on this machine after the phase, in the folder of the document's file, and must exit with 0.
	// Its variables are those of the case: `docs/howto/test.md` lists them.
	Check string `json:"check"`
}

// OutputExpectation is the expected value of one output: at most one of `equals`, `matches`, `nonEmpty` and `absent`.
// Without one the output must be published.
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

// ExpectedFailure is the expected failure of a phase.
type ExpectedFailure struct {
	// Step is the step that must fail.
	Step string `json:"step" required:"true"`
	// ExitCode is the exit code that its script must have; 0 means any but 0.
	ExitCode int `json:"exitCode"`
	// Message is a regular expression (RE2) that must match a part of the step's log or of the failure's message.
	Message string `json:"message"`
}

// The built-in checks of a plugin, as PluginTestSpec.Skip names them.
const (
	// CheckInputsRead is that each step's script reads each of its inputs.
	CheckInputsRead = "inputs-read"
	// CheckOutputsRead is that a step, a sandbox or an expectation reads each output.
	CheckOutputsRead = "outputs-read"
	// CheckInputsDeclared is that a script reads no variable that neither the plugin declares nor the script sets.
	CheckInputsDeclared = "inputs-declared"
	// CheckProcessesEnd is that no process that a script has started still runs when the script ends.
	CheckProcessesEnd = "processes-end"
	// CheckAnyOrder is that the phases succeed when independent steps run in another order, and delayed at random.
	CheckAnyOrder = "any-order"
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
		CheckInputsRead, CheckOutputsRead, CheckInputsDeclared, CheckCreateTwice, CheckDeleteTwice, CheckNothingLeft,
		CheckProcessesEnd, CheckAnyOrder, CheckCreateAfterKill, CheckDeleteAfterHalfCreate,
	}
}
