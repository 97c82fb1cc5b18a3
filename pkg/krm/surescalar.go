package krm

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"
)

// isBareCollection tells whether there is nothing to a mapping or list in block style but what is in it.
func isBareCollection(node *yaml.Node) bool {
	return node.Style == 0 && node.Anchor == "" && node.HeadComment == "" && node.LineComment == "" && node.FootComment == "" &&
		(node.Kind == yaml.MappingNode && (node.Tag == "" || node.Tag == "!!map") ||
			node.Kind == yaml.SequenceNode && (node.Tag == "" || node.Tag == "!!seq"))
}

func isSureKey(key *yaml.Node) bool {
	const longest = 128 // that yaml.v3 prints without a question mark
	return key.Kind == yaml.ScalarNode && key.Style == 0 && (key.Tag == "" || key.Tag == "!!str") && key.Anchor == "" &&
		key.LineComment == "" && key.FootComment == "" && len(key.Value) <= longest && isPlain(key.Value)
}

// sureScalar returns a scalar as it is printed on one line. What is not plain or quoted in the simplest way is left to
// yaml.v3.
func sureScalar(node *yaml.Node) (string, bool) {
	isString := node.Tag == "" || node.Tag == "!!str"
	switch {
	case node.Style == 0 && isString && isPlainText(node.Value):
		return node.Value, true
	case node.Style == 0 && node.Tag == "!!int" && isDecimal(node.Value):
		return node.Value, true
	case node.Style == yaml.DoubleQuotedStyle && isString && isUnescaped(node.Value, `"\`):
		return `"` + node.Value + `"`, true
	case node.Style == yaml.SingleQuotedStyle && isString && isUnescaped(node.Value, "'"):
		return "'" + node.Value + "'", true
	}
	bare := *node
	bare.LineComment = ""
	text, err := printTree(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: "k"}, &bare}})
	line, ok := bytes.CutPrefix(text, []byte("k: "))
	if err != nil || !ok || bytes.IndexByte(line, '\n') != len(line)-1 {
		return "", false
	}
	return string(line[:len(line)-1]), true
}

// isPlainText tells whether a value stands without quotes in block style: one plain word, or several.
func isPlainText(text string) bool {
	if strings.IndexByte(text, ' ') < 0 {
		return isPlain(text)
	}
	for word := range strings.SplitSeq(text, " ") {
		if word == "" || word[len(word)-1] == ':' || !hasPlainBytes(word) {
			return false
		}
	}
	return isASCIILetter(text[0])
}

func isDecimal(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return len(text) > 0 && len(text) < 19 && (text[0] != '0' || len(text) == 1)
}

// isUnescaped tells whether the text is printable ASCII without the characters.
func isUnescaped(text, without string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return !strings.ContainsAny(text, without)
}
