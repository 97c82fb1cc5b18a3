package validate

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/form"
	"github.com/resource-plugins/krm-functions/internal/overlay"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// inputSource: ResourcePlugin reference, Step: exactly one of the two sources.
var inputSource = Rule{
	ID: "input-source", Severity: krm.Error,
	Demand:  "An input has exactly one of valueFromSandbox: true and valueFromStep.",
	Why:     "The input would have no value, or two.",
	Example: "spec.create[0].inputs[0].valueFromSandbox: false",
	plugin: func(c *pluginCheck) {
		for at, step := range document.Steps(&c.Spec) {
			for i := range step.Inputs {
				input := &step.Inputs[i]
				switch {
				case input.ValueFromSandbox && input.ValueFromStep != nil:
					c.report(at.Input(i), "input %q must have only one of valueFromSandbox and valueFromStep", input.Name)
				case !input.ValueFromSandbox && input.ValueFromStep == nil:
					c.report(at.Input(i), "input %q must have a source: valueFromSandbox: true or valueFromStep", input.Name)
				}
			}
		}
	},
}

// inputVariable: design, The runner: what is set must be readable.
var inputVariable = Rule{
	ID: "input-variable", Severity: krm.Warning,
	Demand:  "An input's variable is one that a shell can read: letters, digits and underscores, not starting with a digit.",
	Why:     "The value would be set, and no shell script could say its name.",
	Example: "spec.create[0].inputs[0].as.env: DB-NAME",
	plugin: func(c *pluginCheck) {
		c.variables(func(at krm.Path, name string) {
			if form.Variable(name) == "" && !shellName(name) {
				proposed := strings.Map(underscore, name)
				c.report(at, "a shell script cannot read a variable named %q: call it %q", name, proposed)
			}
		})
	},
}

// inputReserved: ResourcePlugin reference, Flow: every step gets these variables.
var inputReserved = Rule{
	ID: "input-reserved", Severity: krm.Warning,
	Demand:  "An input's variable is none of SIGNADOT_SANDBOX_ID, SIGNADOT_SANDBOX_NAME and SIGNADOT_RESOURCE_NAME.",
	Why:     "Every step gets these three, and they win.",
	Example: "spec.create[0].inputs[0].as.env: SIGNADOT_SANDBOX_ID",
	plugin: func(c *pluginCheck) {
		c.variables(func(at krm.Path, name string) {
			if slices.Contains(reservedVariables, name) {
				c.report(at, "%q is set for every step and wins: the input must have another variable", name)
			}
		})
	},
}

var reservedVariables = []string{
	contract.SandboxIDVariable, contract.SandboxNameVariable, contract.ResourceNameVariable,
}

// inputPath: ResourcePlugin reference, Step: a file in the main container.
var inputPath = Rule{
	ID: "input-path", Severity: krm.Error,
	Demand:  "An input's as.path is the absolute path of a file, without `..`, and not where the step's own parts are.",
	Why:     "The file is put there before the script starts, whatever folder it starts in.",
	Example: "spec.create[0].inputs[0].as.path: ../etc/passwd",
	plugin: func(c *pluginCheck) {
		for at, step := range document.Steps(&c.Spec) {
			for i := range step.Inputs {
				file := step.Inputs[i].Path()
				if wrong := form.File(file); wrong != "" {
					c.report(at.Input(i).Key("as").Key("path"), "%s", wrong)
				} else if wrong := checkMount(file); wrong != "" {
					c.report(at.Input(i).Key("as").Key("path"), "%s", wrong)
				}
			}
		}
	},
}

// checkMount checks what Kubernetes and the renderer ask of a file that is mounted.
func checkMount(file string) string {
	switch {
	case strings.Contains(file, ":"):
		return fmt.Sprintf("must not hold a colon as %q does: Kubernetes cannot mount it", file)
	case overlay.Reserved(path.Clean(file)):
		return fmt.Sprintf("must not be %q: the step needs what is mounted there", file)
	}
	return ""
}

// variables calls do for each variable that an input names itself; what is derived from a valid name is valid.
func (c *pluginCheck) variables(do func(at krm.Path, name string)) {
	for at, step := range document.Steps(&c.Spec) {
		for i := range step.Inputs {
			if as := step.Inputs[i].As; as != nil && as.Env != "" {
				do(at.Input(i).Key("as").Key("env"), as.Env)
			}
		}
	}
}
