package tree

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Text returns a string, in quotes unless every reader takes it for one without.
func Text(text string) *yaml.Node {
	node := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	if !isPlain(text) {
		node.Style = yaml.DoubleQuotedStyle
	}
	return node
}

// Int returns a whole number.
func Int(n int) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(n)}
}

// Bool returns true or false.
func Bool(flag bool) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(flag)}
}

// Field is an entry of a mapping.
type Field struct {
	Key   string
	Value *yaml.Node
}

// Map returns a mapping of the fields that have a value, in their order.
func Map(fields ...Field) *yaml.Node {
	node := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for _, field := range fields {
		if field.Value != nil {
			node.Content = append(node.Content, Text(field.Key), field.Value)
		}
	}
	return node
}

// ListOf returns a list of the elements.
func ListOf(elements ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: elements}
}

// isPlain tells whether a text without quotes is a string to readers of YAML 1.1 and 1.2 alike.
func isPlain(text string) bool {
	for i := range len(text) {
		c := text[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		inner := c >= '0' && c <= '9' || strings.IndexByte("-._/:@", c) >= 0
		if !letter && (i == 0 || !inner) {
			return false
		}
	}
	return text != "" && text[len(text)-1] != ':' && !isWord(text)
}

// isWord tells whether some reader takes a text for a boolean or null.
func isWord(text string) bool {
	switch strings.ToLower(text) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return true
	}
	return false
}
