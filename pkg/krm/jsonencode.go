package krm

import (
	"encoding/json"
	"fmt"
	"math"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// encodeJSON writes a tree without aliases as JSON.
func encodeJSON(to []byte, node *yaml.Node) ([]byte, error) {
	switch node.Kind {
	case yaml.MappingNode:
		return encodeJSONPairs(to, node.Content)
	case yaml.SequenceNode:
		to = append(to, '[')
		for i, child := range node.Content {
			if i > 0 {
				to = append(to, ',')
			}
			var err error
			if to, err = encodeJSON(to, child); err != nil {
				return nil, err
			}
		}
		return append(to, ']'), nil
	default:
		return encodeJSONScalar(to, node)
	}
}

func encodeJSONPairs(to []byte, content []*yaml.Node) ([]byte, error) {
	to = append(to, '{')
	for i := 0; i+1 < len(content); i += 2 {
		if i > 0 {
			to = append(to, ',')
		}
		if content[i].Kind != yaml.ScalarNode {
			return nil, fmt.Errorf("line %d: a key must be a scalar to be written as JSON", content[i].Line)
		}
		to = append(escapeJSON(to, content[i].Value), ':')
		var err error
		if to, err = encodeJSON(to, content[i+1]); err != nil {
			return nil, err
		}
	}
	return append(to, '}'), nil
}

func encodeJSONScalar(to []byte, node *yaml.Node) ([]byte, error) {
	switch node.ShortTag() {
	case "!!null":
		return append(to, "null"...), nil
	case "!!bool", "!!int", "!!float":
		if json.Valid([]byte(node.Value)) {
			return append(to, node.Value...), nil
		}
		var value any
		if err := node.Decode(&value); err != nil {
			return nil, notYAML(err)
		}
		if number, ok := value.(float64); ok && (math.IsInf(number, 0) || math.IsNaN(number)) {
			return nil, fmt.Errorf("line %d: JSON has no number %q", node.Line, node.Value)
		}
		text, err := json.Marshal(value)
		return append(to, text...), err
	default:
		return escapeJSON(to, node.Value), nil
	}
}

// escapeJSON appends text as a JSON string that is also a YAML scalar.
func escapeJSON(to []byte, text string) []byte {
	to = append(to, '"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			to = append(to, '\\', byte(r))
		case r == '\n':
			to = append(to, '\\', 'n')
		case r == '\t':
			to = append(to, '\\', 't')
		case r == '\r':
			to = append(to, '\\', 'r')
		case !cleanRune(r):
			to = fmt.Appendf(to, "\\u%04x", r)
		default:
			to = utf8.AppendRune(to, r)
		}
	}
	return append(to, '"')
}
