package load

import (
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/edit"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// maxRepairs is how many values of a document are quoted so that reading can go on.
const maxRepairs = 100

// parse returns the tree of a chunk, or nil if the text is empty or not YAML. A value that starts with an unquoted `@{` is a
// separate error, after which reading continues. The text was split at the usual line breaks; for the parser, a lone CR,
// NEL, LS or PS also ends a line, and a second document after one of those is an error.
func parse(c chunk) (*yaml.Node, []strictyaml.Problem) {
	if c.isJSON {
		root, problem := strictyaml.ParseJSON(c.text)
		if problem != nil {
			return nil, []strictyaml.Problem{*problem}
		}
		return root, nil
	}
	var problems []strictyaml.Problem
	text := c.text
	for {
		root, problem := strictyaml.Parse(text)
		if problem == nil {
			if root != nil {
				shift(root, c.line)
			}
			return root, problems
		}
		if problem.Column > 0 {
			return nil, append(problems, *problem)
		}
		lines := edit.New(text, 0)
		line := string(lines.Line(problem.Line))
		start, _ := lines.Offset(problem.Line, 1)
		repaired, column := quoteDirective(text, line, start)
		if repaired == nil || len(problems) == maxRepairs {
			problem.Column = 1 + len(line) - len(strings.TrimLeft(line, " \t")) // the parser reports none
			return nil, append(problems, *problem)
		}
		problem.Column, problem.Message = column, mustQuote
		problems = append(problems, *problem)
		text = repaired
	}
}

const mustQuote = `a value that starts with @ must be quoted, as in "@{embed: ./script.sh}"`

// quoteDirective quotes the first value of a line that starts with an unquoted `@{`. The line begins at the byte start of
// the text. It returns nil if the line has no such value.
func quoteDirective(text []byte, line string, start int) (repaired []byte, column int) {
	at := unquoted(line)
	if at < 0 {
		return nil, 0
	}
	value := directiveValue(line[at:], strings.ContainsAny(line[:at], "[{"))
	quoted := "'" + strings.ReplaceAll(value, "'", "''") + "'"
	repaired = slices.Concat(text[:start+at], []byte(quoted), text[start+at+len(value):])
	return repaired, utf8.RuneCountInString(line[:at]) + 1
}

// unquoted returns where in a line a value starts with `@{`, -1 if none does.
func unquoted(line string) int {
	for at := 0; ; at += len("@{") {
		next := strings.Index(line[at:], "@{")
		if next < 0 {
			return -1
		}
		at += next
		before := strings.TrimRight(line[:at], " ")
		if before == "" || strings.ContainsAny(before[len(before)-1:], ":-,[{") {
			return at
		}
	}
}

// directiveValue cuts the value that starts with a directive off the rest of its line.
func directiveValue(rest string, flow bool) string {
	value, _, _ := strings.Cut(rest, " #")
	if flow {
		closing := strings.IndexByte(value, '}') + 1
		if stop := strings.IndexAny(value[closing:], ",]} "); stop >= 0 {
			value = value[:closing+stop]
		}
	}
	return strings.TrimRight(value, " \t")
}

// shift moves a tree down by a number of lines.
func shift(node *yaml.Node, lines int) {
	if lines == 0 {
		return
	}
	node.Line += lines
	for _, content := range node.Content {
		shift(content, lines)
	}
}
