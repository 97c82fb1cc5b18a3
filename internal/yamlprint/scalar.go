package yamlprint

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// StyleOf returns the style in which a string is printed: plain if every reader reads that as the string, several lines
// as a literal block if every reader reads that unchanged, otherwise single quotes, and double quotes if it needs
// escapes or looks like a number, a date or a boolean, as kubectl prints it.
func StyleOf(text string) yaml.Style {
	switch {
	case IsPlain(text):
		return 0
	case strings.IndexByte(text, '\n') >= 0 && isLiteral(text):
		return yaml.LiteralStyle
	case isAmbiguous(text) || strings.ContainsAny(text, "\n\t'") || !isPrintable(text):
		return yaml.DoubleQuotedStyle
	default:
		return yaml.SingleQuotedStyle
	}
}

// Restyle returns the style of a string of one line that replaces one of the given style: its quotes are kept.
func Restyle(text string, old yaml.Style) yaml.Style {
	style := StyleOf(text)
	switch {
	case old&yaml.DoubleQuotedStyle != 0 || style == yaml.LiteralStyle:
		return yaml.DoubleQuotedStyle
	case old&yaml.SingleQuotedStyle != 0 && isPrintable(text) && !strings.ContainsAny(text, "\n\t"):
		return yaml.SingleQuotedStyle
	default:
		return style
	}
}

// Quote writes a string as one line of YAML that every reader reads as that string, as a key, as a value and in flow
// style: in the quotes of the style, or if it has none and none are needed, without quotes. Bytes that are not UTF-8
// become U+FFFD.
func Quote(text string, style yaml.Style) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	style = Restyle(text, style)
	isFlowSafe := !strings.ContainsAny(text, ",[]{}?")
	switch {
	case style == 0 && isFlowSafe:
		return text
	case style == yaml.SingleQuotedStyle || style == 0:
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	default:
		return string(appendQuoted(nil, text, true))
	}
}

// IsPlain reports whether text may be printed without quotes in block style: it starts with a letter, a slash or an
// underscore, so it is not a number, a date or an indicator, and it is not a word that a reader takes for a boolean or
// for null (https://yaml.org/type/bool.html, https://yaml.org/type/null.html).
func IsPlain(text string) bool {
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

// staysPlain reports whether c may be anywhere inside a plain scalar; blanks and colons only in some positions.
func staysPlain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '-' && c <= '9' || c >= 'A' && c <= 'Z' || c == '_' ||
		strings.IndexByte("@=+$()[]{}*&!%;,<>?^|~'\"`", c) >= 0
}

// isWord reports whether a reader of YAML 1.1 or 1.2 takes text for a boolean or for null.
func isWord(text string) bool {
	switch strings.ToLower(text) {
	case "true", "false", "yes", "no", "on", "off", "y", "n", "null":
		return true
	}
	return false
}

// isAmbiguous reports whether text, without quotes, could be a number, a date or a word.
func isAmbiguous(text string) bool {
	return text == "" || isWord(text) || strings.IndexByte("0123456789+-.", text[0]) >= 0 && len(text) < 64
}

// isLiteral reports whether a literal block preserves the text: printable, no line that is blank but not empty, and no
// start that would be read as indentation.
func isLiteral(text string) bool {
	if text == "" || strings.IndexByte(" \t\n", text[0]) >= 0 || !isPrintable(text) {
		return false
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" && strings.Trim(line, " \t") == "" {
			return false
		}
	}
	return true
}

// isPrintable reports whether every YAML reader reads the text's characters unchanged.
func isPrintable(text string) bool {
	for _, r := range text {
		if !isPrint(r) && r != '\n' && r != '\t' {
			return false
		}
	}
	return true
}

func isPrint(r rune) bool {
	if r < 0xa0 {
		return r >= ' ' && r < 0x7f
	}
	return r != '\u2028' && r != '\u2029' && r != '\ufeff' && r != '\ufffd' && r&0xfffe != 0xfffe
}

// appendQuoted appends text in double quotes with the escapes of JSON, or those of YAML, which are JSON too. In JSON,
// U+2028 and U+2029 are not escaped, and \b and \f are not used, unlike in encoding/json: the text is hashed.
func appendQuoted(dst []byte, text string, forYAML bool) []byte {
	dst = append(dst, '"')
	start := 0
	for i, r := range text {
		if r >= ' ' && r != '"' && r != '\\' && (r < 0x7f || !forYAML || r > 0xffff || isPrint(r)) {
			continue
		}
		dst = append(dst, text[start:i]...)
		switch at := strings.IndexRune("\"\\\n\r\t", r); {
		case at >= 0:
			dst = append(dst, '\\', `"\nrt`[at])
		default:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		}
		start = i + len(string(r))
	}
	return append(append(dst, text[start:]...), '"')
}
