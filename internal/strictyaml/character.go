package strictyaml

import (
	"unicode/utf8"

	"github.com/resource-plugins/krm-functions/internal/yamlprint"
)

// maxSeparators is the highest number of reported line separators of a text.
const maxSeparators = 100

// Separators reports the characters of a YAML text that readers of YAML 1.1, such as kustomize, kpt and kubectl, read
// as line breaks, and others do not. They change values, and end comments.
func Separators(text []byte) (problems []Problem) {
	for _, at := range yamlprint.Separators(text, maxSeparators) {
		r, _ := utf8.DecodeRune(text[at:])
		advice := "remove it"
		if r != yamlprint.NextLine {
			advice += `, or write it with an escape, in double quotes`
		}
		problem := Error("", "must not hold %s, which kustomize, kpt and kubectl take for a line break: %s",
			yamlprint.CharacterName(r), advice)
		problem.Line, problem.Column = yamlprint.Position(text, at)
		problems = append(problems, problem)
	}
	return problems
}

// refused is the problem of the first character that YAML readers reject, or nil.
func refused(text []byte) *Problem {
	at, name := yamlprint.Refused(text)
	if name == "" {
		return nil
	}
	problem := Error("", "must not hold the control character %s: remove it", name)
	problem.Line, problem.Column = yamlprint.Position(text, at)
	return &problem
}
