package validate

import (
	"strings"

	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// script: ResourcePlugin spec, step: the main container runs the script specified in the step.
var script = Rule{
	ID: "script", Severity: krm.Error,
	Demand:  "A step has a script.",
	Why:     "Running the script is what a step is for.",
	Example: `spec.create[0].script: ""`,
	plugin: func(c *pluginCheck) {
		for at, step := range document.Steps(&c.Spec) {
			if strings.TrimSpace(step.Script) == "" {
				c.report(at.Path().Key("script"), "must be set: a step runs a script")
			}
		}
	},
}

// scriptInterpreter: ResourcePlugin reference, Step: a script should explicitly declare its interpreter.
var scriptInterpreter = Rule{
	ID: "script-interpreter", Severity: krm.Warning,
	Demand:  "A script's first line names its interpreter, such as #!/bin/sh.",
	Why:     "Without one it runs under /bin/sh, and says so nowhere.",
	Example: "spec.create[0].script: echo hello",
	plugin: func(c *pluginCheck) {
		for at, step := range document.Steps(&c.Spec) {
			if wrong := checkInterpreter(step.Script); wrong != "" {
				c.reportStart(at.Path().Key("script"), "%s", wrong)
			}
		}
	},
}

// scriptLineEnd: design, The runner: the kernel takes the carriage return as part of the interpreter's name.
var scriptLineEnd = Rule{
	ID: "script-line-end", Severity: krm.Error,
	Demand:  "The line that names the interpreter ends in a line feed alone.",
	Why:     "With a carriage return the kernel looks for an interpreter of that name and finds none.",
	Example: `spec.create[0].script: "#!/bin/sh\r\necho hello\r\n"`,
	plugin: func(c *pluginCheck) {
		for at, step := range document.Steps(&c.Spec) {
			if line, _, _ := strings.Cut(step.Script, "\n"); strings.HasPrefix(line, "#!") && strings.HasSuffix(line, "\r") {
				c.reportStart(at.Path().Key("script"),
					"the first line must not end in a carriage return: save the script with line feeds")
			}
		}
	},
}

// checkInterpreter tells what is wrong with a script's first line. An empty script is for another rule.
func checkInterpreter(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	named, declares := strings.CutPrefix(strings.TrimSuffix(line, "\r"), "#!")
	interpreter, _, _ := strings.Cut(strings.TrimLeft(named, " \t"), " ")
	switch {
	case strings.TrimSpace(text) == "" || declares && strings.HasPrefix(interpreter, "/"):
		return ""
	case declares:
		return "the interpreter in the first line must be an absolute path, as in #!/bin/sh"
	case strings.HasPrefix(text, "\ufeff#!"):
		return "must not begin with a byte order mark: with it the interpreter in the first line is not found"
	case strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "#!"):
		return "the interpreter must be named at the very beginning: remove the blank in front of #!"
	default:
		return "must name its interpreter in the first line, as in #!/bin/sh: without it the script runs under /bin/sh"
	}
}
