package yamlprint

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// NextLine is U+0085, the control character NEL. YAML 1.1 reads it as a line break, and kustomize writes it without an
// escape, which changes the value.
const NextLine = '\u0085'

// Refused returns the position and the name of the first character of a UTF-8 text that YAML readers reject; the name
// is empty if there is no such character (https://yaml.org/spec/1.2.2/#51-character-set).
func Refused(text []byte) (at int, name string) {
	for at < len(text) {
		r, size := utf8.DecodeRune(text[at:])
		if isRefused(r) {
			return at, CharacterName(r)
		}
		at += size
	}
	return at, ""
}

func isRefused(r rune) bool {
	switch {
	case r < ' ':
		return r != '\t' && r != '\n' && r != '\r'
	case r < 0xa0:
		return r >= 0x7f && r != NextLine
	default:
		return r == '\ufffe' || r == '\uffff'
	}
}

// Separators returns the positions of up to most characters that YAML 1.1 reads as line breaks, as go-yaml does, and
// YAML 1.2 and editors do not: U+0085, U+2028 and U+2029.
func Separators(text []byte, most int) (at []int) {
	for start := 0; len(at) < most; {
		next := bytes.IndexAny(text[start:], string(NextLine)+"\u2028\u2029")
		if next < 0 {
			break
		}
		at = append(at, start+next)
		_, size := utf8.DecodeRune(text[start+next:])
		start += next + size
	}
	return at
}

// CharacterName returns the number of a character, with its name if that is commonly known.
func CharacterName(r rune) string {
	number := fmt.Sprintf("U+%04X", r)
	called := map[rune]string{
		0: "NUL", '\b': "backspace", 0x1b: "escape", 0x7f: "delete", NextLine: "next line",
		'\u2028': "line separator", '\u2029': "paragraph separator",
	}[r]
	if called == "" {
		return number
	}
	return number + " (" + called + ")"
}

// Position returns the line and the column of a byte of a text, both counted from 1 as YAML readers do, columns in
// characters.
func Position(text []byte, at int) (line, column int) {
	line, column = 1, 1
	last := rune(0)
	for _, r := range string(text[:at]) {
		switch {
		case r == '\n' && last == '\r':
		case r == '\n' || r == '\r' || r == NextLine || r == '\u2028' || r == '\u2029':
			line, column = line+1, 1
		default:
			column++
		}
		last = r
	}
	return line, column
}
