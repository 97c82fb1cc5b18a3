package rule

import (
	"fmt"
	"strings"

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
			if wrong := checkVariable(name); wrong != "" {
				c.report(at, "%s", wrong)
			}
		})
	},
	sandbox: func(c *sandboxCheck) {
		for v := range c.environment() {
			if wrong := checkVariable(v.Name); wrong != "" {
				c.report(v.path().Key("name"), "%s", wrong)
			}
		}
	},
}

// checkVariable checks `[-._a-zA-Z][-._a-zA-Z0-9]*`, not `.` or anything that starts with `..`.
func checkVariable(name string) string {
	odd := func(r rune) bool { return !alphanumeric(r) && r != '-' && r != '_' && r != '.' }
	switch {
	case name == "":
		return ""
	case strings.IndexFunc(name, odd) >= 0:
		return fmt.Sprintf("variable must hold letters, digits, underscores, dashes and dots only, not as %q does", name)
	case name[0] >= '0' && name[0] <= '9':
		return fmt.Sprintf("variable must not start with a digit as %q does", name)
	case name == "." || strings.HasPrefix(name, ".."):
		return fmt.Sprintf("variable must not be %q", name)
	}
	return ""
}

// shellName tells whether a variable name that Kubernetes takes is one to a shell too.
func shellName(name string) bool { return !strings.ContainsAny(name, "-.") }

func underscore(r rune) rune {
	if r == '-' || r == '.' {
		return '_'
	}
	return r
}
