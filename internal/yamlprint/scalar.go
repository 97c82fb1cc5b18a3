package yamlprint

import (
	"strings"
	"unicode/utf8"
)

// appendString writes a string and the line's end: several lines as a literal block where every reader gets them back
// from one, all else on one line.
func appendString(dst []byte, text string, indent int) []byte {
	if strings.IndexByte(text, '\n') < 0 || !isLiteral(text) {
		return append(appendFlow(dst, text), '\n')
	}
	body, end := text, "|-\n"
	if strings.HasSuffix(text, "\n") {
		body, end = text[:len(text)-1], "|\n"
		if strings.HasSuffix(body, "\n") {
			end = "|+\n"
		}
	}
	dst = append(dst, end...)
	for line := range strings.SplitSeq(body, "\n") {
		if line != "" {
			dst = append(appendSpaces(dst, indent), line...)
		}
		dst = append(dst, '\n')
	}
	return dst
}

// isLiteral reports whether a literal block holds the text faithfully: printable, no line that is blank but not empty, and
// nothing at the start that would be taken for indentation.
func isLiteral(text string) bool {
	if text[0] == ' ' || text[0] == '\t' || text[0] == '\n' || !isPrintable(text) {
		return false
	}
	for rest := text; ; {
		i := strings.IndexByte(rest, '\n')
		line := rest
		if i >= 0 {
			line = rest[:i]
		}
		if line != "" && strings.Trim(line, " \t") == "" {
			return false
		}
		if i < 0 {
			return true
		}
		rest = rest[i+1:]
	}
}

// appendFlow writes a string on the current line: plain where no reader takes it for anything else, else in single
// quotes, else in double quotes with escapes.
func appendFlow(dst []byte, text string) []byte {
	switch {
	case isPlain(text):
		return append(dst, text...)
	case isAmbiguous(text) || strings.ContainsAny(text, "\n\t'") || !isPrintable(text):
		return appendQuoted(dst, text)
	default:
		return append(append(append(dst, '\''), text...), '\'')
	}
}

// isPlain reports whether text may stand without quotes: a letter, a slash or an underscore first, so that it is neither a
// number nor a date nor an indicator, and no word that some reader takes for a boolean or for null.
func isPlain(text string) bool {
	if text == "" || !startsPlain(text[0]) || text[len(text)-1] == ' ' || text[len(text)-1] == ':' {
		return false
	}
	for i := 1; i < len(text); i++ {
		c := text[i]
		switch {
		case staysPlain(c):
		case c == ' ' && text[i+1] != '#', c == ':' && text[i+1] != ' ':
		default:
			return false
		}
	}
	return len(text) > len("false") || !isWord(text)
}

func startsPlain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '/' || c == '_' || c == '$' || c == '('
}

// staysPlain reports whether c may stand anywhere inside a plain scalar; blanks and colons may at some places.
func staysPlain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '-' && c <= '9' || c >= 'A' && c <= 'Z' || c == '_' ||
		strings.IndexByte("@=+$()[]{}*&!%;,<>?^|~'\"`", c) >= 0
}

// isWord reports whether a reader of YAML 1.1 or 1.2 takes text for a boolean or for null. Short ones only: all words have
// at most five letters.
func isWord(text string) bool {
	switch strings.ToLower(text) {
	case "true", "false", "yes", "no", "on", "off", "y", "n", "null":
		return true
	}
	return false
}

// isAmbiguous reports whether text, without quotes, could be a number, a date or a word. Such a text gets double quotes, as
// kubectl prints it.
func isAmbiguous(text string) bool {
	return text == "" || isWord(text) || strings.IndexByte("0123456789+-.", text[0]) >= 0 && len(text) < 64
}

// isPrintable reports whether every reader of YAML takes the text's characters as they are.
func isPrintable(text string) bool {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
				return false
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if r < 0xa0 || r == '\u2028' || r == '\u2029' || r == '\ufeff' || r == utf8.RuneError || r&0xfffe == 0xfffe {
			return false
		}
		i += size
	}
	return true
}

// appendQuoted writes text in double quotes. Bytes that are not UTF-8 become U+FFFD.
func appendQuoted(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for _, r := range text {
		if r != '"' && r != '\\' && (r >= ' ' && r < 0x7f || r >= 0xa0 && isPrintable(string(r))) {
			dst = utf8.AppendRune(dst, r)
		} else {
			dst = appendEscape(dst, r)
		}
	}
	return append(dst, '"')
}
