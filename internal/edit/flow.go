package edit

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// plain reads a scalar without quotes. It ends with the value.
func (w *scalarReader) plain() bool {
	for w.done < len(w.value) {
		if w.at == len(w.src) || !w.space() && !w.take(1) {
			return false
		}
	}
	return true
}

// quoted reads a scalar in quotes, from the opening one on.
func (w *scalarReader) quoted(quote byte) bool {
	w.mark(w.at + 1)
	for w.at++; w.at < len(w.src); {
		var ok bool
		switch c := w.src[w.at]; {
		case c == quote && quote == '\'' && bytes.HasPrefix(w.src[w.at:], []byte("''")):
			ok = w.give("'", w.at, 2)
		case c == quote:
			w.at++
			return w.done == len(w.value)
		case c == '\\' && quote == '"':
			ok = w.escape()
		default:
			ok = w.space() || w.take(1)
		}
		if !ok {
			return false
		}
	}
	return false
}

// space reads blanks that end a line, its break, blank lines, and the blanks in front of the next text. It is false if
// the line goes on.
func (w *scalarReader) space() bool {
	at := w.at + blanks(w.src[w.at:])
	if breakSize(w.src[at:]) == 0 {
		return false
	}
	places, end := lineBreaks(w.src, at)
	if !w.breaks(places, true) {
		return false
	}
	w.at = end
	return true
}

// lineBreaks returns the places of breaks, and the end of the blanks after them.
func lineBreaks(src []byte, at int) (places []int, end int) {
	for size := breakSize(src[at:]); size > 0; size = breakSize(src[at:]) {
		places = append(places, at)
		at += size
		at += blanks(src[at:])
	}
	return places, at
}

// escape reads what follows a backslash in double quotes.
func (w *scalarReader) escape() bool {
	rest := w.src[w.at+1:]
	if breakSize(rest) > 0 {
		places, end := lineBreaks(w.src, w.at+1)
		ok := w.breaks(places[1:], false)
		w.at = end
		return ok
	}
	text, size := unescape(rest)
	return size > 0 && w.give(text, w.at, 1+size)
}

// unescape returns what an escape means, and its size without the backslash; 0 if it is none.
func unescape(rest []byte) (text string, size int) {
	if len(rest) == 0 {
		return "", 0
	}
	if digits := hexDigits(rest[0]); digits > 0 {
		if len(rest) <= digits {
			return "", 0
		}
		code, err := strconv.ParseUint(string(rest[1:1+digits]), 16, 32)
		if err != nil || !utf8.ValidRune(rune(code)) {
			return "", 0
		}
		return string(rune(code)), 1 + digits
	}
	const letters, meanings = "0abt\tnvfre \"'/\\N_LP", "\x00\a\b\t\t\n\v\f\r\x1b \"'/\\\u0085\u00a0\u2028\u2029"
	n := bytes.IndexByte([]byte(letters), rest[0])
	if n < 0 {
		return "", 0
	}
	return string([]rune(meanings)[n]), 1
}

func hexDigits(letter byte) int {
	switch letter {
	case 'x':
		return 2
	case 'u':
		return 4
	case 'U':
		return 8
	}
	return 0
}
