package load

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// syntaxProblem is something that is wrong with the text of a document.
type syntaxProblem struct {
	line, column int // in the chunk, from 1, columns in characters
	message      string
}

// maxRepairs is how many values of a document are quoted so that reading can go on.
const maxRepairs = 100

// parse reads the tree of a chunk; nil means that there is none, or that the text is not YAML. A value that starts with
// an unquoted `@{` is an error of its own, behind which reading goes on.
func parse(c chunk) (*yaml.Node, []syntaxProblem) {
	var problems []syntaxProblem
	text := c.text
	for {
		root, err := parseOne(text)
		if err == nil {
			if root != nil {
				shift(root, c.line)
			}
			return root, problems
		}
		line, message := syntaxError(err)
		repaired, column := quoteDirective(text, line)
		if repaired == nil || len(problems) == maxRepairs {
			problem := syntaxProblem{line: line, column: firstColumn(text, line), message: explain(text, line, message)}
			return nil, append(problems, problem)
		}
		problems = append(problems, syntaxProblem{line: line, column: column, message: mustQuote})
		text = repaired
	}
}

// parseOne parses a document. Split cuts where lines end as everybody writes them; to the parser they also end with a
// lone CR, NEL, LS or PS, and a second document behind one of those must not be lost.
func parseOne(text []byte) (*yaml.Node, error) {
	var document yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&document); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return nil, err
	}
	if err := decoder.Decode(new(yaml.Node)); err == nil {
		return nil, errors.New("lines must end with LF or CRLF")
	} else if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return document.Content[0], nil
}

const mustQuote = `a value that starts with @ must be quoted, as in "@{embed: ./script.sh}"`

// syntaxError returns the line and the message of an error of the YAML parser, which omits the number of line 1.
func syntaxError(err error) (line int, message string) {
	message = strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(message, "line "); ok {
		if digits, text, ok := strings.Cut(rest, ": "); ok {
			if line, err := strconv.Atoi(digits); err == nil {
				return line, text
			}
		}
	}
	return 1, message
}

// explain words a syntax error.
func explain(text []byte, line int, message string) string {
	at, end := lineBounds(text, line)
	indent := text[at:end]
	indent = indent[:len(indent)-len(strings.TrimLeft(string(indent), " \t"))]
	if strings.Contains(message, "cannot start any token") && strings.Contains(string(indent), "\t") {
		return "not valid YAML: a line must be indented with spaces, not with tabs"
	}
	return "not valid YAML: " + message
}

// firstColumn returns where the text of a line begins: the parser reports no column.
func firstColumn(text []byte, line int) int {
	start, end := lineBounds(text, line)
	return 1 + len(text[start:end]) - len(bytes.TrimLeft(text[start:end], " \t\r\n"))
}

// quoteDirective quotes the first value that starts with an unquoted `@{` in a line; nil if there is none.
func quoteDirective(text []byte, line int) (repaired []byte, column int) {
	start, end := lineBounds(text, line)
	whole := strings.TrimRight(string(text[start:end]), "\r\n")
	at := unquoted(whole)
	if at < 0 {
		return nil, 0
	}
	value := directiveValue(whole[at:], strings.ContainsAny(whole[:at], "[{"))
	repaired = append(repaired, text[:start+at]...)
	repaired = append(repaired, "'"+strings.ReplaceAll(value, "'", "''")+"'"...)
	return append(repaired, text[start+at+len(value):]...), utf8.RuneCountInString(whole[:at]) + 1
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

// lineBounds returns where a line, counted from 1, starts and ends.
func lineBounds(text []byte, line int) (start, end int) {
	for ; line > 1 && start < len(text); line-- {
		start = lineEnd(text, start)
	}
	return start, lineEnd(text, start)
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
