package krm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm/internal/scan"
)

// isJSON reports whether a text is a JSON object.
func isJSON(src []byte) bool {
	src = bytes.TrimPrefix(src, []byte(scan.ByteOrderMark))
	return bytes.HasPrefix(bytes.TrimLeft(src, " \t\r\n"), []byte("{")) && utf8.Valid(src) && json.Valid(src)
}

// jsonReader builds trees of JSON. Keys stay in order and numbers as they are written; nodes know their line.
type jsonReader struct {
	*json.Decoder
	src    []byte
	line   int
	offset int64 // up to which lines are counted
}

// jsonTree builds the tree of a valid JSON text.
func jsonTree(src []byte) (*yaml.Node, error) {
	src = bytes.TrimPrefix(src, []byte(scan.ByteOrderMark))
	reader := &jsonReader{Decoder: json.NewDecoder(bytes.NewReader(src)), src: src, line: 1}
	reader.UseNumber()
	node, err := reader.node()
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	return node, nil
}

func (r *jsonReader) node() (*yaml.Node, error) {
	token, err := r.Token()
	if err != nil {
		return nil, err
	}
	r.line += bytes.Count(r.src[r.offset:r.InputOffset()], []byte("\n"))
	r.offset = r.InputOffset()
	node := &yaml.Node{Kind: yaml.ScalarNode, Line: r.line}
	switch value := token.(type) {
	case json.Delim:
		return node, r.collection(node, value)
	case string:
		setString(node, value)
	case json.Number:
		node.Tag, node.Value = "!!int", string(value)
		if strings.ContainsAny(node.Value, ".eE") {
			node.Tag = "!!float"
		}
	case bool:
		node.Tag, node.Value = "!!bool", strconv.FormatBool(value)
	default:
		node.Tag, node.Value = nullTag, "null"
	}
	return node, nil
}

func (r *jsonReader) collection(node *yaml.Node, open json.Delim) error {
	node.Kind, node.Tag = yaml.MappingNode, "!!map"
	if open == '[' {
		node.Kind, node.Tag = yaml.SequenceNode, "!!seq"
	}
	for r.More() {
		child, err := r.node()
		if err != nil {
			return err
		}
		node.Content = append(node.Content, child)
	}
	_, err := r.Token()
	return err
}

// appendJSON appends a tree without aliases as JSON.
func appendJSON(to []byte, node *yaml.Node) ([]byte, error) {
	open, end := byte('['), byte(']')
	switch node.Kind {
	case yaml.MappingNode:
		open, end = '{', '}'
	case yaml.SequenceNode:
	default:
		return appendJSONScalar(to, node)
	}
	for n, child := range node.Content {
		before := byte(',')
		switch isMapping := node.Kind == yaml.MappingNode; {
		case n == 0:
			before = open
		case isMapping && n%2 == 1:
			before = ':'
		}
		to = append(to, before)
		var err error
		if node.Kind == yaml.MappingNode && n%2 == 0 {
			if child.Kind != yaml.ScalarNode {
				return nil, fmt.Errorf("line %d: a key must be a scalar to be written as JSON", child.Line)
			}
			to, err = appendJSONValue(to, child.Value)
		} else {
			to, err = appendJSON(to, child)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(node.Content) == 0 {
		to = append(to, open)
	}
	return append(to, end), nil
}

func appendJSONScalar(to []byte, node *yaml.Node) ([]byte, error) {
	switch node.ShortTag() {
	case nullTag:
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
		return appendJSONValue(to, value)
	default:
		return appendJSONValue(to, node.Value)
	}
}

// appendJSONValue appends a value as encoding/json writes it, with <, > and & as they are.
func appendJSONValue(to []byte, value any) ([]byte, error) {
	out := bytes.NewBuffer(to)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}
