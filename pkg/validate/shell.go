package validate

import (
	"errors"
	"path"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// scriptSyntax: issue of the rules, Depth: scripts whose interpreter is sh or bash are parsed.
var scriptSyntax = Rule{
	ID: "script-syntax", Severity: krm.Error,
	Demand:  "A script of sh or bash can be parsed.",
	Why:     "The step would fail where the shell comes to that line, with what stands before it already done.",
	Example: `spec.create[0].script: "#!/bin/sh\nif true; then echo hello\n"`,
	plugin: func(c *pluginCheck) {
		for at, step := range document.Steps(&c.Spec) {
			if wrong := checkShell(step.Script); wrong != nil {
				c.reportInside(at.Path().Key("script"), wrong.line, wrong.column, "must be valid %s: %s", wrong.shell, wrong.message)
			}
		}
	},
}

// shellError is where and why a shell would give up.
type shellError struct {
	shell        string
	line, column int // of the script, columns in characters
	message      string
}

// checkShell parses a script whose interpreter is a shell. What an interpreter named sh takes differs between images:
// what one of them takes is right.
func checkShell(script string) *shellError {
	shell := shellOf(script)
	if shell == "" || !parseable(script) {
		return nil
	}
	err := parseShell(script, syntax.LangBash)
	if err != nil && shell == "sh" && parseShell(script, syntax.LangPOSIX) == nil {
		return nil
	}
	var found syntax.ParseError
	if !errors.As(err, &found) || !certainly(found.Text) || unreached(script, int(found.Pos.Line())) {
		return nil
	}
	before := script[:min(int(found.Pos.Offset()), len(script))]
	return &shellError{
		shell: shell, line: int(found.Pos.Line()),
		column:  1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]),
		message: strings.ReplaceAll(found.Text, "`", "'"),
	}
}

// The bounds of what is parsed, far beyond any script of a person: the parser calls itself for what is nested.
const (
	longestShell = 64 << 10
	deepestShell = 1_000
)

// parseable tells whether parsing a script costs little, whatever its author is up to.
func parseable(script string) bool {
	depth := 0
	for i := range len(script) {
		switch script[i] {
		case '(', '{':
			depth++
		case ')', '}':
			depth--
		}
		if depth > deepestShell {
			return false
		}
	}
	return len(script) <= longestShell
}

func parseShell(script string, variant syntax.LangVariant) error {
	_, err := syntax.NewParser(syntax.Variant(variant)).Parse(strings.NewReader(script), "")
	return err
}

// shellOf returns "bash" or "sh", empty where another interpreter is named or one cannot be found out. Without a first
// line that names it, a script runs under sh.
func shellOf(script string) string {
	line, _, _ := strings.Cut(script, "\n")
	named, declares := strings.CutPrefix(line, "#!")
	if !declares {
		return "sh"
	}
	words := strings.Fields(named)
	if len(words) == 0 {
		return ""
	}
	command := path.Base(words[0])
	if command == "env" {
		words = words[1:]
		for len(words) > 0 && (words[0] == "-S" || strings.Contains(words[0], "=")) {
			words = words[1:]
		}
		if len(words) == 0 {
			return ""
		}
		command = path.Base(words[0])
	}
	switch command {
	case "bash":
		return "bash"
	case "sh", "dash", "ash":
		return "sh"
	}
	return ""
}

// certainly tells whether every shell agrees with the parser that this is an error. Shells find out some of what it
// refuses only when they run the line, and others not at all: bad expansions, arithmetic, and here-documents that end
// with the script.
func certainly(message string) bool {
	for _, doubtful := range [...]string{
		"expression", "((", "))", "[", "arithmetic", "names or assignments", "here-document", "heredoc",
	} {
		if strings.Contains(message, doubtful) {
			return false
		}
	}
	for _, sure := range [...]string{
		"must be followed by", "must end with", "without closing quote", "without matching", "can only be used",
		"can only immediately follow", "not a valid start for a statement", "can only contain words", "must be separated",
	} {
		if strings.Contains(message, sure) {
			return true
		}
	}
	return false
}

// unreached tells whether the script ends, or hands over to another program, before a line: what follows may be data.
func unreached(script string, line int) bool {
	for text := range strings.Lines(script) {
		if line--; line <= 0 {
			return false
		}
		word, _, _ := strings.Cut(strings.TrimRight(text, "\r\n"), " ")
		switch strings.Trim(word, `'"`) {
		case "exit", "exec":
			return true
		}
	}
	return false
}
