package krm

import (
	"fmt"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// Quote writes a string as one line of YAML that every reader takes for that string: in the quotes that the style asks
// for, or if it asks for none and none are needed, without. What is in double quotes is JSON, too.
func Quote(text string, style yaml.Style) string {
	node := &yaml.Node{Style: style}
	setString(node, validText(text))
	switch node.Style {
	case 0:
		return node.Value
	case yaml.SingleQuotedStyle:
		return "'" + strings.ReplaceAll(node.Value, "'", "''") + "'"
	}
	quoted, _ := appendJSONValue(nil, node.Value) // a string is always JSON
	var line strings.Builder
	for _, r := range string(quoted) {
		if isUnprintable(r) && r <= 0xffff {
			fmt.Fprintf(&line, "\\u%04x", r)
			continue
		}
		line.WriteRune(r)
	}
	return line.String()
}

func newString(value string) *yaml.Node {
	node := &yaml.Node{Kind: yaml.ScalarNode}
	setString(node, value)
	return node
}

// setString makes a node a string of one line. It keeps its quotes; without quotes it gets some if a reader of YAML 1.1
// or 1.2 may take it for something else.
func setString(node *yaml.Node, value string) {
	node.Tag, node.Value = stringTag, value
	hasQuotes := node.Style & (yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle)
	switch fitsSingle := isPrintable(value); {
	case hasQuotes == yaml.SingleQuotedStyle && fitsSingle:
		node.Style = yaml.SingleQuotedStyle
	case hasQuotes == 0 && isPlain(value):
		node.Style = 0
	case hasQuotes == 0 && fitsSingle && strings.Contains(value, `"`) && !strings.Contains(value, "'"):
		node.Style = yaml.SingleQuotedStyle
	default:
		node.Style = yaml.DoubleQuotedStyle
	}
}

func isPrintable(text string) bool { return strings.IndexFunc(text, isUnprintable) < 0 }

func isUnprintable(r rune) bool { return !unicode.IsPrint(r) }

// isPlain reports whether text may stand without quotes, in block and in flow style, as a key and as a value: it starts
// with a letter, so that it is no number or date, and is none of the words that some reader takes for a boolean or null
// (https://yaml.org/type/bool.html, https://yaml.org/type/null.html).
func isPlain(text string) bool {
	if text == "" || !isLetter(text[0]) || text[len(text)-1] == ':' {
		return false
	}
	for i := range len(text) {
		if c := text[i]; !isWordByte(c) && strings.IndexByte("./@+:", c) < 0 {
			return false
		}
	}
	switch strings.ToLower(text) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return false
	}
	return true
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
