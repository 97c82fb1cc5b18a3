package load

import (
	"bytes"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// chunk is the text of one document of a file.
type chunk struct {
	text   []byte
	line   int // the number of lines of the file before it
	isJSON bool
}

// sourceComment is the comment of `helm template` with the template of a document.
var sourceComment = lazily(`\A(?:---\s*\n)?# Source: ([\w./+-]{1,200})\r?\n`)

// helmSource returns the template that Helm made the document from, or "".
func (c chunk) helmSource() string {
	if found := sourceComment().FindSubmatch(c.text); found != nil {
		return string(found[1])
	}
	return ""
}

// split splits the text of a file into documents; JSON has one.
func split(file string, text []byte) []chunk {
	if !strictyaml.IsJSON(file, text) {
		return splitYAML(text)
	}
	if isBlank(text) {
		return nil
	}
	return []chunk{{text: text, isJSON: true}}
}

// splitYAML splits a file at its document markers, so that each document can be read even if another one is not valid. No
// parser is needed, since YAML allows `---` and `...` at the start of a line nowhere else.
func splitYAML(text []byte) []chunk {
	var chunks []chunk
	start, startLine := 0, 0
	cut := func(end, line int) {
		if part := text[start:end]; !isBlank(part) {
			chunks = append(chunks, chunk{text: part, line: startLine})
		}
		start, startLine = end, line
	}
	for at, line := 0, 0; at < len(text); line++ {
		next := lineEnd(text, at)
		switch {
		case marker(text[at:next], "---"):
			cut(at, line)
		case marker(text[at:next], "..."):
			cut(at, line)
			start, startLine = next, line+1
		}
		at = next
	}
	cut(len(text), 0)
	return chunks
}

// marker reports whether a line is a document marker.
func marker(line []byte, mark string) bool {
	if !bytes.HasPrefix(line, []byte(mark)) {
		return false
	}
	return len(line) == len(mark) || bytes.IndexByte([]byte(" \t\r\n"), line[len(mark)]) >= 0
}

// isBlank reports whether a part of a file holds nothing but blanks, comments and YAML directives. The directives have no
// effect: the tags and versions that they name change nothing that a document may hold.
func isBlank(part []byte) bool {
	for at := 0; at < len(part); {
		next := lineEnd(part, at)
		line := part[at:next]
		if marker(line, "---") {
			line = line[len("---"):]
		}
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' && part[at] != '%' {
			return false
		}
		at = next
	}
	return true
}

// lineEnd returns where the line that starts at ends, its newline included.
func lineEnd(text []byte, at int) int {
	if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(text)
}
