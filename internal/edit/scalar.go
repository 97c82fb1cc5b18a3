package edit

import (
	"bytes"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Scalar is a scalar in its written form.
type Scalar struct {
	// Start and End are its bounds in the text in bytes, with quotes but without an anchor or a tag. A block scalar
	// starts at its indicator.
	Start, End int
	// Block reports whether it is literal or folded; Style has the quotes of other scalars.
	Block bool
	Style yaml.Style

	runs   []run
	isJSON bool
}

// run is a part of a value that is written byte for byte: the byte at value is written at source, and so on.
type run struct{ value, source int }

// Scalar returns the written form of the scalar with a value at a line and a column. It returns false if the text has
// another value there. Texts that differ only in blanks and line breaks are equal, since the style and the indentation
// decide which of those are part of the value.
func (t *Text) Scalar(line, column int, value string) (*Scalar, bool) {
	at, ok := t.Offset(line, column)
	if !ok {
		return nil, false
	}
	if at = afterProperties(t.bytes, at); at == len(t.bytes) {
		return nil, false
	}
	s := &Scalar{Start: at, isJSON: t.isJSON}
	switch t.bytes[at] {
	case '|', '>':
		s.Block = true
		header, _ := firstLine(t.bytes[at:])
		at += header
	case '"':
		s.Style = yaml.DoubleQuotedStyle
	case '\'':
		s.Style = yaml.SingleQuotedStyle
	}
	if s.Style != 0 {
		at++
		s.runs = []run{{0, at}}
	}
	if s.End, ok = s.match(t.bytes, at, value); !ok {
		return nil, false
	}
	return s, value != "" || s.Style != 0 || s.Block
}

// match compares the characters of a value, except blanks and line breaks, with the text from a byte on. It returns the
// end of the scalar.
func (s *Scalar) match(src []byte, at int, value string) (end int, ok bool) {
	end = at
	for done := 0; ; {
		done = len(value) - len(strings.TrimLeftFunc(value[done:], unicode.IsSpace))
		at = len(src) - len(bytes.TrimLeftFunc(src[at:], unicode.IsSpace))
		if done == len(value) && s.Style == 0 {
			return end, !s.Block || at != end || end == len(src)
		}
		meaning, size := s.character(src[at:])
		switch {
		case size == 0:
			return at + 1, at < len(src) && done == len(value)
		case strings.TrimSpace(meaning) == "": // an escaped blank or line break
		case !strings.HasPrefix(value[done:], meaning):
			return 0, false
		default:
			if n := len(s.runs); n == 0 || s.runs[n-1].source-s.runs[n-1].value != at-done {
				s.runs = append(s.runs, run{value: done, source: at})
			}
			done += len(meaning)
		}
		at += size
		end = at
	}
}

// character decodes the first character of a text and returns its written size, 0 at the end of the scalar.
func (s *Scalar) character(text []byte) (meaning string, size int) {
	switch {
	case len(text) == 0:
		return "", 0
	case s.Style == yaml.DoubleQuotedStyle && text[0] == '\\':
		if meaning, size, isPair := surrogates(text); isPair && s.isJSON {
			return meaning, size
		}
		return unescape(text)
	case s.Style == yaml.SingleQuotedStyle && bytes.HasPrefix(text, []byte("''")):
		return "'", 2
	case s.Style == yaml.DoubleQuotedStyle && text[0] == '"', s.Style == yaml.SingleQuotedStyle && text[0] == '\'':
		return "", 0
	}
	_, size = utf8.DecodeRune(text)
	return string(text[:size]), size
}

// surrogates returns the character of the surrogate pair that a text starts with, which JSON writes as two escapes.
func surrogates(text []byte) (meaning string, size int, isPair bool) {
	const half = len(`\u0000`)
	if len(text) < 2*half || text[1] != 'u' || text[half] != '\\' || text[half+1] != 'u' {
		return "", 0, false
	}
	high, highErr := strconv.ParseUint(string(text[2:half]), 16, 16)
	low, lowErr := strconv.ParseUint(string(text[half+2:2*half]), 16, 16)
	r := utf16.DecodeRune(rune(high), rune(low))
	return string(r), 2 * half, highErr == nil && lowErr == nil && r != utf8.RuneError
}

// unescape decodes an escape and returns its size.
func unescape(text []byte) (meaning string, size int) {
	if len(text) < 2 {
		return "", 0
	}
	if digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[text[1]]; digits > 0 {
		size = min(2+digits, len(text))
		code, err := strconv.ParseUint(string(text[2:size]), 16, 32)
		if err != nil {
			return "\\", 1
		}
		return string(rune(code)), size
	}
	const letters, meanings = "0abvfre\"'/\\", "\x00\a\b\v\f\r\x1b\"'/\\"
	if n := strings.IndexByte(letters, text[1]); n >= 0 {
		return meanings[n : n+1], 2
	}
	if strings.IndexByte("\t\r\n tnN_LP", text[1]) >= 0 {
		return "", 2
	}
	return "\\", 1
}

// Offset returns the position in the text of a byte of the value.
func (s *Scalar) Offset(value int) int {
	n := sort.Search(len(s.runs), func(i int) bool { return s.runs[i].value > value })
	if n == 0 {
		return s.Start
	}
	return min(s.runs[n-1].source+value-s.runs[n-1].value, s.End)
}

// afterProperties skips an anchor and a tag before a value in its line.
func afterProperties(src []byte, at int) int {
	for at < len(src) && (src[at] == '&' || src[at] == '!') {
		word := bytes.IndexFunc(src[at:], unicode.IsSpace)
		if word < 0 {
			return len(src)
		}
		at = len(src) - len(bytes.TrimLeft(src[at+word:], " \t"))
	}
	return at
}

// ByteAt returns the byte of a value at a line and a column within it, both counted from 1, columns in characters.
// Column 0 is the start of the line's text. A position after the end of a line or of the value is its end.
func ByteAt(value string, line, column int) int {
	text := New([]byte(value), 0)
	if line = max(line, 1); line > len(text.lines()) {
		return len(value)
	}
	at := text.lines()[line-1]
	rest := string(text.Line(line))
	if column < 1 {
		return at + len(rest) - len(strings.TrimLeft(rest, " \t"))
	}
	for offset := range rest {
		if column--; column < 1 {
			return at + offset
		}
	}
	return at + len(rest)
}
