package krm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// jsonTree builds the tree of a JSON value. Its numbers stay as they are written; it has no lines.
func jsonTree(src []byte) (*yaml.Node, error) {
	decoder := json.NewDecoder(bytes.NewReader(src))
	decoder.UseNumber()
	return jsonNode(decoder)
}

func jsonNode(decoder *json.Decoder) (*yaml.Node, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	switch value := token.(type) {
	case json.Delim:
		return jsonCollection(decoder, value)
	case string:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: value}, nil
	case json.Number:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: numberTag(string(value)), Value: string(value)}, nil
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(value)}, nil
	default:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}, nil
	}
}

func numberTag(text string) string {
	if strings.ContainsAny(text, ".eE") {
		return "!!float"
	}
	return "!!int"
}

func jsonCollection(decoder *json.Decoder, open json.Delim) (*yaml.Node, error) {
	node := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Style: yaml.FlowStyle}
	if open == '[' {
		node.Kind, node.Tag = yaml.SequenceNode, "!!seq"
	}
	for decoder.More() {
		child, err := jsonNode(decoder)
		if err != nil {
			return nil, err
		}
		node.Content = append(node.Content, child)
	}
	_, err := decoder.Token()
	return node, err
}
