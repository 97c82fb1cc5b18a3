package validate

import (
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

var script = Rule{
	ID: "script", Severity: krm.Error,
	Summary: "A step has a script.",
	Why:     "Running the script is what a step is for.",
	Example: `spec.create[0].script: ""`,
	checks: eachStep(func(r *Rule, p *plugin, s step) {
		if strings.TrimSpace(s.Script) == "" && !p.isJoined(s) {
			p.Report(r, s.path.Key("script"), "must be set: a step runs a script")
		}
	}),
}

var scriptInterpreter = Rule{
	ID: "script-interpreter", Severity: krm.Warning,
	Summary: "A script's first line names its interpreter, such as #!/bin/sh.",
	Why:     "Without one it runs under /bin/sh, and does not say so.",
	Example: "spec.create[1].script: cat /inputs/host > /tmp/user",
	checks: eachStep(func(r *Rule, p *plugin, s step) {
		if wrong := checkInterpreter(s.Script); wrong != "" && !p.isJoined(s) {
			p.reportStart(r, s.path.Key("script"), wrong)
		}
	}),
}

var scriptLines = Rule{
	ID: "script-lines", Severity: krm.Error,
	Summary: "A script is given behind `|`, which keeps its line breaks.",
	Why: "Behind `>`, or behind neither, YAML joins the lines: they become arguments of the interpreter, or the line that " +
		"names it becomes a comment of YAML.",
	Sources: []string{"https://yaml.org/spec/1.2.2/#813-folded-style"},
	Example: `spec.create[0].script: "#!/bin/sh echo hello"`,
	checks: eachStep(func(r *Rule, p *plugin, s step) {
		if !p.isJoined(s) {
			return
		}
		message := `the script has lost its line breaks: use "script: |"`
		if p.isFolded(s) {
			message = `the script is folded into one line: use "script: |"`
		}
		p.reportStart(r, s.path.Key("script"), message)
	}),
}

// isJoined reports whether YAML has joined the lines of a script: the line with the interpreter and those after it, or the
// lines after that line, which is a comment.
func (p *plugin) isJoined(s step) bool {
	if first, rest, _ := strings.Cut(s.Script, "\n"); strings.HasPrefix(first, "#!") {
		return hasCommands(first) && (strings.TrimSpace(rest) == "" || p.isFolded(s))
	}
	at := s.path.Key("script")
	node, found := at.Find(p.item.YNode())
	key, _ := at.FindKey(p.item.YNode())
	return found && node.Style == 0 && (strings.HasPrefix(node.HeadComment, "#!") || strings.HasPrefix(key.LineComment, "#!"))
}

// isFolded reports whether a script is a folded scalar (`>`).
func (p *plugin) isFolded(s step) bool {
	node, found := s.path.Key("script").Find(p.item.YNode())
	return found && node.Style&yaml.FoldedStyle != 0
}

// hasCommands reports whether the line with the interpreter has more than its options after it.
func hasCommands(line string) bool {
	words := strings.Fields(strings.TrimPrefix(line, "#!"))
	if len(words) > 0 && path.Base(words[0]) == "env" {
		words = words[1:]
		for len(words) > 0 && strings.Contains(words[0], "=") {
			words = words[1:]
		}
		if len(words) > 0 && strings.HasPrefix(words[0], "-") { // -S accepts any number of words
			return false
		}
	}
	return slices.ContainsFunc(words[min(1, len(words)):], func(word string) bool { return !strings.HasPrefix(word, "-") })
}

var scriptLineEnd = Rule{
	ID: "script-line-end", Severity: krm.Error,
	Summary: "The line that names the interpreter ends in a line feed alone.",
	Why:     "The kernel takes a carriage return as part of the interpreter's name, and does not find it.",
	Sources: []string{"https://man7.org/linux/man-pages/man2/execve.2.html"},
	Example: `spec.create[1].script: "#!/bin/sh\r\ncat /inputs/host > /tmp/user\r\n"`,
	checks: eachStep(func(r *Rule, p *plugin, s step) {
		if line, _, _ := strings.Cut(s.Script, "\n"); strings.HasPrefix(line, "#!") && strings.HasSuffix(line, "\r") {
			p.reportStart(r, s.path.Key("script"),
				"the first line must not end in a carriage return: save the script with line feeds")
		}
	}),
}

// checkInterpreter returns the problem of a script's first line. Empty scripts are reported by the rule "script".
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

// scriptSyntax parses scripts whose interpreter is sh or bash.
var scriptSyntax = Rule{
	ID: "script-syntax", Severity: krm.Error,
	Summary: "A script of sh or bash can be parsed.",
	Why:     "The step would fail when the shell reaches that line, after the lines before it have run.",
	Sources: []string{"https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html"},
	Example: `spec.create[0].script: "#!/bin/sh\nif true; then echo hello\n"`,
	checks: eachStep(func(r *Rule, p *plugin, s step) {
		if wrong := checkShell(s.Script); wrong != nil && !p.isJoined(s) {
			p.ReportInside(r, s.path.Key("script"), wrong.line, wrong.column, "must be valid %s: %s", wrong.shell, wrong.message)
		}
	}),
}
