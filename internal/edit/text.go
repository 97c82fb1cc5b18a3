// Package edit changes YAML files without touching their formatting, and finds the positions of values in files.
//
// A parser reports the line and the column of a node's start, and a scalar's value without its quotes, escapes, folded
// lines and indentation. Text finds the node's bytes; Text.Scalar reads them together with the value, and so knows the
// position of each byte of the value. If text and value do not agree, it returns nothing rather than a wrong position.
// Files finds the subjects and proposals of results; Apply replaces scalars, and verifies that nothing else changed.
package edit

import (
	"bytes"
	"sort"
	"sync"
	"unicode/utf8"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Text is the text of a document, with the number of the lines above it in its file.
type Text struct {
	bytes  []byte
	above  int
	isJSON bool

	once   sync.Once
	starts []int // of the lines
}

// New returns a text with above lines of its file before it. The bytes must not be changed.
func New(text []byte, above int) *Text { return &Text{bytes: text, above: above} }

// NewFile returns the text of a whole file without its byte order mark. Lines of a JSON file end only with LF. The
// bytes must not be changed.
func NewFile(name string, text []byte) *Text {
	return &Text{bytes: text, isJSON: strictyaml.IsJSON(name, text)}
}

// Of returns the text as a part of the named file.
func (t *Text) Of(file string) krm.Text { return krm.Text{File: file, Above: t.above, Bytes: t.bytes} }

// Line returns a line of the file, without its end, or nil if it is not in the text.
func (t *Text) Line(number int) []byte {
	starts := t.lines()
	n := number - t.above
	if n < 1 || n > len(starts) {
		return nil
	}
	line := t.bytes[starts[n-1]:]
	length, _ := t.firstLine(line)
	return line[:length]
}

// Offset returns the byte at a line and a column of the file, both counted from 1, columns in characters.
func (t *Text) Offset(line, column int) (int, bool) {
	text := t.Line(line)
	if text == nil || column < 1 {
		return 0, false
	}
	at := t.lines()[line-t.above-1]
	for range column - 1 {
		if len(text) == 0 {
			return 0, false
		}
		_, size := utf8.DecodeRune(text)
		at, text = at+size, text[size:]
	}
	return at, true
}

// Position returns the line and the column of a byte.
func (t *Text) Position(offset int) (line, column int) {
	starts := t.lines()
	n := sort.SearchInts(starts, offset+1)
	return n + t.above, utf8.RuneCount(t.bytes[starts[n-1]:min(offset, len(t.bytes))]) + 1
}

// lines returns the starts of the lines, as the parser of the text counts them.
func (t *Text) lines() []int {
	t.once.Do(func() {
		t.starts = []int{0}
		for at := 0; at < len(t.bytes); {
			length, size := t.firstLine(t.bytes[at:])
			if at += length + size; size > 0 {
				t.starts = append(t.starts, at)
			}
		}
	})
	return t.starts
}

// firstLine returns the length of the first line of a part of the text, and the size of its line break, or 0.
func (t *Text) firstLine(part []byte) (length, size int) {
	if !t.isJSON {
		return firstLine(part)
	}
	line, _, isEnded := bytes.Cut(part, []byte("\n"))
	if isEnded {
		size = 1
	}
	return len(line), size
}

// firstLine returns the length of the first line of a YAML text, and the size of its line break, or 0. As for a YAML
// parser, lines end with LF, CR, both, NEL, LS or PS.
func firstLine(text []byte) (length, size int) {
	at := bytes.IndexAny(text, "\n\r\u0085\u2028\u2029")
	switch {
	case at < 0:
		return len(text), 0
	case bytes.HasPrefix(text[at:], []byte("\r\n")):
		return at, len("\r\n")
	}
	_, size = utf8.DecodeRune(text[at:])
	return at, size
}
