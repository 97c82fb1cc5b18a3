package strictyaml

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Parse returns the root of the only YAML document of a text, or nil if it is empty. A problem has a line.
func Parse(text []byte) (*yaml.Node, *Problem) {
	var document, second yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, syntaxProblem(text, err)
	}
	if err := decoder.Decode(&second); err == nil {
		problem := Error("", "must be one YAML document: a second one begins here")
		problem.Line = second.Line
		return nil, &problem
	} else if !errors.Is(err, io.EOF) {
		return nil, syntaxProblem(text, err)
	}
	return document.Content[0], nil
}

// syntaxProblem is an error of the YAML parser, which omits the number of line 1.
func syntaxProblem(text []byte, err error) *Problem {
	if problem := refused(text); problem != nil {
		return problem // the parser does not report its position
	}
	line, message := 1, strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\n", " "), "yaml: ")
	if rest, ok := strings.CutPrefix(message, "line "); ok {
		digits, reason, _ := strings.Cut(rest, ": ")
		if number, err := strconv.Atoi(digits); err == nil {
			line, message = number, reason
		}
	}
	problem := Error("", "must be valid YAML: %s", explain(string(lineOf(text, line)), message))
	problem.Line = line
	return &problem
}

// explain returns the message for a syntax error of a line.
func explain(line, message string) string {
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	switch {
	case strings.Contains(message, "tab character"),
		strings.Contains(message, "cannot start any token") && strings.Contains(indent, "\t"):
		return "a line must be indented with spaces, not with tabs"
	case strings.Contains(message, "mapping values are not allowed") && strings.Count(line, ": ") > 1:
		return `quote the value: ": " starts a mapping`
	}
	return message
}

// lineOf returns a line of a text, counted from 1, or nil.
func lineOf(text []byte, number int) []byte {
	for line := range bytes.Lines(text) {
		if number--; number == 0 {
			return line
		}
	}
	return nil
}
