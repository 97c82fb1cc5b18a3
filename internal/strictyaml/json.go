package strictyaml

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/yamlprint"
)

// IsJSON reports whether the text of a file is read as JSON: by the file's extension or, for an unknown extension, if
// it is a JSON object. YAML readers do not accept all JSON: for example two escapes for one character, or other line
// endings.
func IsJSON(file string, text []byte) bool {
	switch {
	case strings.HasSuffix(file, ".json"):
		return true
	case strings.HasSuffix(file, ".yaml"), strings.HasSuffix(file, ".yml"):
		return false
	}
	return bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{")) && json.Valid(text)
}

// ParseJSON returns the root of a JSON text with the positions of its nodes, or nil if the text is empty. Lines end
// only with LF. A problem has a position.
func ParseJSON(text []byte) (*yaml.Node, *Problem) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	var syntax *json.SyntaxError
	if err := json.Unmarshal(text, new(json.RawMessage)); errors.As(err, &syntax) {
		return nil, jsonProblem(text, int(syntax.Offset)-1, "must be valid JSON: "+syntax.Error())
	}
	if at := yamlprint.HalfCharacter(text); at >= 0 {
		return nil, jsonProblem(text, at, yamlprint.MustBePair)
	}
	return yamlprint.ReadJSON(string(text)), nil
}

// jsonProblem returns a problem at a byte of a JSON text.
func jsonProblem(text []byte, at int, message string) *Problem {
	before := text[:max(at, 0)]
	problem := Error("", "%s", message)
	problem.Line = 1 + bytes.Count(before, []byte("\n"))
	problem.Column = 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return &problem
}
