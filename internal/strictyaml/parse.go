package strictyaml

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Parse returns the root of the only YAML document of a text, nil if there is nothing in it. A problem has the line.
func Parse(text []byte) (*yaml.Node, *Problem) {
	var document, second yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, syntaxProblem(err)
	}
	if err := decoder.Decode(&second); err == nil {
		problem := Error("", "must be one YAML document: a second one begins here")
		problem.Line = second.Line
		return nil, &problem
	} else if !errors.Is(err, io.EOF) {
		return nil, syntaxProblem(err)
	}
	return document.Content[0], nil
}

// syntaxProblem is an error of the YAML parser, which omits the number of line 1.
func syntaxProblem(err error) *Problem {
	line, message := 1, strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\n", " "), "yaml: ")
	if rest, ok := strings.CutPrefix(message, "line "); ok {
		digits, text, _ := strings.Cut(rest, ": ")
		if number, err := strconv.Atoi(digits); err == nil {
			line, message = number, text
		}
	}
	problem := Error("", "must be valid YAML: %s", message)
	problem.Line = line
	return &problem
}
