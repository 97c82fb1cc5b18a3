package validate

import (
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

var script = Rule{
	ID: "script", Severity: krm.Error,
	Summary: "A step has a script.",
	Why:     "Running the script is what a step is for.",
	Example: `spec.create[0].script: ""`,
	checks: eachStep(func(r *Rule, p *plugin, s step) {
		if strings.TrimSpace(s.Script) == "" {
			p.report(r, s.path.Key("script"), "must be set: a step runs a script")
		}
	}),
}

var scriptInterpreter = Rule{
	ID: "script-interpreter", Severity: krm.Warning,
	Summary: "A script's first line names its interpreter, such as #!/bin/sh.",
	Why:     "Without one it runs under /bin/sh, and does not say so.",
	Example: "spec.create[0].script: echo hello",
	checks: eachStep(func(r *Rule, p *plugin, s step) {
		if wrong := checkInterpreter(s.Script); wrong != "" {
			p.reportStart(r, s.path.Key("script"), wrong)
		}
	}),
}

var scriptLineEnd = Rule{
	ID: "script-line-end", Severity: krm.Error,
	Summary: "The line that names the interpreter ends in a line feed alone.",
	Why:     "The kernel takes a carriage return as part of the interpreter's name, and does not find it.",
	sources: []string{"https://man7.org/linux/man-pages/man2/execve.2.html"},
	Example: `spec.create[0].script: "#!/bin/sh\r\necho hello\r\n"`,
	checks: eachStep(func(r *Rule, p *plugin, s step) {
		if line, _, _ := strings.Cut(s.Script, "\n"); strings.HasPrefix(line, "#!") && strings.HasSuffix(line, "\r") {
			p.reportStart(r, s.path.Key("script"),
				"the first line must not end in a carriage return: save the script with line feeds")
		}
	}),
}

// checkInterpreter returns what is wrong with a script's first line. An empty script is for the rule "script".
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
