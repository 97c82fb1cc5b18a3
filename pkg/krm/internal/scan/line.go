package scan

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// lines iterates over a text line by line, and returns only lines that every YAML reader splits and decodes the same
// way.
type lines struct {
	src []byte
	pos int // where the next line starts
	num int // how many lines were taken
}

// next returns the next line without its end, and false at the end or if the line is not clean.
func (l *lines) next() ([]byte, bool) {
	if l.pos >= len(l.src) {
		return nil, false
	}
	line := l.src[l.pos:]
	size := bytes.IndexByte(line, '\n')
	if size < 0 {
		size = len(line)
	} else {
		l.pos++
	}
	line = line[:size]
	l.pos += size
	l.num++
	if size > 0 && line[size-1] == '\r' && l.src[l.pos-1] == '\n' {
		line = line[:size-1]
	}
	return line, clean(line)
}

const (
	eachByte = 0x0101010101010101
	highBits = 0x80 * eachByte
)

// clean reports whether a line has only characters that YAML allows and no reader takes for a line break or a byte
// order mark.
func clean(line []byte) bool {
	i := 0
	for ; i+8 <= len(line); i += 8 {
		word := binary.LittleEndian.Uint64(line[i:])
		if ((word-' '*eachByte)|word|(word+eachByte))&highBits != 0 {
			return cleanRunes(line[i:])
		}
	}
	for _, c := range line[i:] {
		if c < ' ' || c >= 0x7f {
			return cleanRunes(line[i:])
		}
	}
	return true
}

func cleanRunes(text []byte) bool {
	for len(text) > 0 {
		r, size := rune(text[0]), 1
		if r >= utf8.RuneSelf {
			if r, size = utf8.DecodeRune(text); r == utf8.RuneError && size == 1 {
				return false
			}
		}
		if !cleanRune(r) {
			return false
		}
		text = text[size:]
	}
	return true
}

// cleanRune follows the character set of YAML 1.1 (5.1), without its exotic line breaks and the byte order mark.
func cleanRune(r rune) bool {
	switch {
	case r < ' ':
		return r == '\t'
	case r < 0x7f:
		return true
	case r < 0xa0, r == '\u2028', r == '\u2029', r == '\ufeff', r == '\ufffe', r == '\uffff':
		return false
	default:
		return true
	}
}

// Indentation counts the leading spaces of a line.
func Indentation(line []byte) int {
	for i, c := range line {
		if c != ' ' {
			return i
		}
	}
	return len(line)
}

func skipSpaces(line []byte, at int) int { return at + Indentation(line[at:]) }

// ends reports whether the rest of the line is only spaces and a comment.
func ends(line []byte, at int) bool {
	rest := skipSpaces(line, at)
	return rest == len(line) || line[rest] == '#' && rest > at
}

// isMark reports whether a line starts with a document marker.
func isMark(line []byte, mark string) bool {
	return len(line) >= 3 && string(line[:3]) == mark && (len(line) == 3 || line[3] == ' ' || line[3] == '\t')
}

func isAnyMark(line []byte) bool { return isMark(line, "---") || isMark(line, "...") }

// isBlank reports whether a line is blank or has only a comment.
func isBlank(line []byte) bool {
	at := Indentation(line)
	return at == len(line) || line[at] == '#'
}

// IsPlain reports whether every reader splits the text into the same lines, without a byte order mark, directive or
// document marker: then it may be indented as a whole.
func IsPlain(text []byte) bool {
	reader := lines{src: text}
	for {
		line, ok := reader.next()
		if !ok {
			return line == nil
		}
		if isAnyMark(line) || len(line) > 0 && line[0] == '%' {
			return false
		}
	}
}
