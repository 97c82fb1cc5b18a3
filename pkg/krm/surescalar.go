package krm

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"
)

// isBareCollection tells whether there is nothing to a mapping or list in block style but what is in it.
func isBareCollection(node *yaml.Node) bool {
	switch node.Kind {
	case yaml.MappingNode:
		return node.Style == 0 && isUnmarked(node, "!!map")
	case yaml.SequenceNode:
		return node.Style == 0 && isUnmarked(node, "!!seq")
	case yaml.DocumentNode, yaml.ScalarNode, yaml.AliasNode:
	}
	return false
}

// isUnmarked tells whether a node has no anchor, no comment, and no tag but the usual one.
func isUnmarked(node *yaml.Node, usual string) bool {
	return node.Anchor == "" && (node.Tag == "" || node.Tag == usual) &&
		node.HeadComment == "" && node.LineComment == "" && node.FootComment == ""
}

// isSureKey tells whether a key stands as it is; what is above it is not looked at.
func isSureKey(key *yaml.Node) bool {
	const longest = 128 // that yaml.v3 prints without a question mark
	return key.Kind == yaml.ScalarNode && key.Style == 0 && (key.Tag == "" || key.Tag == "!!str") && key.Anchor == "" &&
		key.LineComment == "" && key.FootComment == "" && len(key.Value) <= longest && isPlain(key.Value)
}

// sureScalar returns a scalar as it is printed on one line.
func sureScalar(node *yaml.Node) (string, bool) {
	isString := node.Tag == "" || node.Tag == "!!str"
	switch node.Style {
	case 0:
		if isString && isPlainText(node.Value) || node.Tag == "!!int" && isDecimal(node.Value) {
			return node.Value, true
		}
	case yaml.DoubleQuotedStyle:
		if isString && isUnescaped(node.Value, `"\`) {
			return `"` + node.Value + `"`, true
		}
	case yaml.SingleQuotedStyle:
		if isString && isUnescaped(node.Value, "'") {
			return "'" + node.Value + "'", true
		}
	case yaml.TaggedStyle, yaml.LiteralStyle, yaml.FoldedStyle, yaml.FlowStyle:
	}
	return askedScalar(node)
}

// askedScalar asks yaml.v3 what it prints for a scalar, if that is one line.
func askedScalar(node *yaml.Node) (string, bool) {
	key, value := &yaml.Node{Kind: yaml.ScalarNode, Value: "k"}, *node
	value.LineComment = ""
	text, err := printTree(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{key, &value}})
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
