package validate

import (
	"errors"
	"path"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// shellError is the position and the reason of a syntax error.
type shellError struct {
	shell        string
	line, column int // of the script; columns are in characters
	message      string
}

// checkShell parses a script whose interpreter is a shell. The shells that are named sh differ between images, so a script
// is valid if one of them accepts it.
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

// Limits of parsed scripts, far beyond those that people write: the parser is recursive.
const (
	longestShell = 64 << 10
	deepestShell = 1_000
)

// parseable reports whether a script is within the limits, so that parsing is fast.
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

// shellOf returns "bash" or "sh", or "" for another or an unknown interpreter. A script without an interpreter in its first
// line runs under sh.
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

// certainly reports whether all shells treat an error of the parser as an error. Shells detect some errors only when they
// run the line, and others not at all: bad expansions, arithmetic, and here-documents that end with the script. The parser's
// errors have no codes, so their messages are compared, which a test verifies.
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

// unreached reports whether the script exits, or executes another program, before a line: the rest may be data.
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
