package krm

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// Quote writes a string as one line of YAML, in a style that every reader takes for that string: in the quotes that the
// style asks for, or where it asks for none and none are needed, without.
func Quote(text string, style yaml.Style) string { return quote(text, style) }

// quote writes a string as one line of YAML that every reader of YAML 1.1, 1.2 and JSON's subset takes for that same
// string: plain where it cannot be taken for anything else, otherwise in double quotes, or in single ones where style
// asks for them or they save escapes.
func quote(text string, style yaml.Style) string {
	double, single := style&yaml.DoubleQuotedStyle != 0, style&yaml.SingleQuotedStyle != 0
	switch {
	case !double && !single && isPlain(text):
		return text
	case !double && fitsSingle(text) && (single || strings.Contains(text, `"`) && !strings.Contains(text, "'")):
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	default:
		return string(escapeJSON(nil, text))
	}
}

func fitsSingle(text string) bool { return clean([]byte(text)) && !strings.Contains(text, "\t") }

// isPlain tells whether text may stand without quotes, in block and in flow style, as a key and as a value: it starts
// with a letter, so that it is no number or date; it is none of the words that some reader takes for a boolean or null.
func isPlain(text string) bool {
	if text == "" || !isASCIILetter(text[0]) || text[len(text)-1] == ':' || isWordOfYAML(text) {
		return false
	}
	return hasPlainBytes(text)
}

// hasPlainBytes tells whether there is no byte in text but those that mean nothing anywhere inside a plain scalar.
func hasPlainBytes(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case isASCIILetter(c), c >= '0' && c <= '9', strings.IndexByte("-_./@+:", c) >= 0:
		default:
			return false
		}
	}
	return true
}

func isASCIILetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// isWordOfYAML knows the words of https://yaml.org/type/bool.html and null.html, in any case.
func isWordOfYAML(text string) bool {
	switch strings.ToLower(text) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return true
	}
	return false
}
