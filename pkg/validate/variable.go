package validate

import (
	"strings"

	"github.com/resource-plugins/krm-functions/internal/form"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// variableName: Kubernetes API validation, EnvVar.
var variableName = Rule{
	ID: "variable-name", Severity: krm.Error,
	Demand:  "An environment variable has letters, digits, `_`, `-` and `.`, and does not start with a digit.",
	Why:     "Kubernetes refuses the Pod otherwise.",
	Example: "spec.create[0].inputs[0].as.env: DB NAME",
	plugin: func(c *pluginCheck) {
		c.variables(func(at krm.Path, name string) {
			if wrong := form.Variable(name); wrong != "" {
				c.report(at, "%s", wrong)
			}
		})
	},
	sandbox: func(c *sandboxCheck) {
		for v := range c.environment() {
			if wrong := form.Variable(v.Name); wrong != "" {
				c.report(v.path().Key("name"), "%s", wrong)
			}
		}
	},
}

// shellName tells whether a variable name that Kubernetes takes is one to a shell too.
func shellName(name string) bool { return !strings.ContainsAny(name, "-.") }

func underscore(r rune) rune {
	if r == '-' || r == '.' {
		return '_'
	}
	return r
}
