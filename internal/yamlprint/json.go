package yamlprint

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

const (
	stringTag = "!!str"
	nullTag   = "!!null"
)

// ReadJSON builds the tree of a valid JSON text. Keys stay in order and numbers as they are written. Nodes have a line,
// which ends only with LF, and a column, and strings have the style in which they are printed.
func ReadJSON(src string) *yaml.Node {
	r := jsonReader{src: src, line: 1, column: 1, styled: true, placed: true}
	return r.value()
}

type jsonReader struct {
	src    string
	at     int
	line   int
	styled bool // strings get the style in which they are printed
	nodes  []yaml.Node
	used   int // of nodes

	placed  bool // nodes get a column
	column  int  // of the byte counted, in characters
	counted int
}

func (r *jsonReader) value() *yaml.Node {
	r.skip()
	node, first := r.node(), r.src[r.at]
	switch first {
	case '{', '[':
		node.Kind, node.Tag = yaml.MappingNode, "!!map"
		if first == '[' {
			node.Kind, node.Tag = yaml.SequenceNode, "!!seq"
		}
		r.at++
		for r.skip(); r.src[r.at] != first+2; r.skip() { // the bracket that closes
			node.Content = append(node.Content, r.value())
		}
		r.at++
	case '"':
		node.Tag, node.Value = stringTag, r.text()
		if r.styled {
			node.Style = StyleOf(node.Value)
		}
	default:
		end := r.at
		for end < len(r.src) && strings.IndexByte(",:]} \t\r\n", r.src[end]) < 0 {
			end++
		}
		node.Value, r.at = r.src[r.at:end], end
		switch {
		case first == 'n':
			node.Tag = nullTag
		case first == 't' || first == 'f':
			node.Tag = "!!bool"
		case strings.ContainsAny(node.Value, ".eE"):
			node.Tag = "!!float"
		default:
			node.Tag = "!!int"
		}
	}
	return node
}

// node returns a new scalar. It reuses the memory of an earlier one's children.
func (r *jsonReader) node() *yaml.Node {
	if r.used == len(r.nodes) {
		r.nodes, r.used = make([]yaml.Node, max(16, 2*len(r.nodes))), 0
	}
	node := &r.nodes[r.used]
	r.used++
	if r.placed {
		r.column += utf8.RuneCountInString(r.src[r.counted:r.at])
		r.counted = r.at
	}
	*node = yaml.Node{Kind: yaml.ScalarNode, Line: r.line, Column: r.column, Content: node.Content[:0]}
	return node
}

// skip skips white space, commas and colons.
func (r *jsonReader) skip() {
	for ; r.at < len(r.src); r.at++ {
		switch r.src[r.at] {
		case '\n':
			r.line, r.column, r.counted = r.line+1, 1, r.at+1
		case ',', ':', ' ', '\t', '\r':
		default:
			return
		}
	}
}

// text reads a string.
func (r *jsonReader) text() string {
	start := r.at
	r.at++
	end := strings.IndexByte(r.src[r.at:], '"')
	if plain := r.src[r.at : r.at+end]; strings.IndexByte(plain, '\\') < 0 {
		r.at += end + 1
		return plain
	}
	for ; r.src[r.at] != '"'; r.at++ {
		if r.src[r.at] == '\\' {
			r.at++
		}
	}
	r.at++
	var text string
	if err := json.Unmarshal([]byte(r.src[start:r.at]), &text); err != nil {
		panic("yamlprint: " + err.Error()) // the text is valid
	}
	return text
}

// AppendTreeJSON appends a tree without aliases as JSON without blanks, its keys in order. A key that is not a scalar
// and a number that JSON does not have are errors.
func AppendTreeJSON(dst []byte, node *yaml.Node) ([]byte, error) {
	if node.Kind != yaml.MappingNode && node.Kind != yaml.SequenceNode {
		return appendScalarJSON(dst, node)
	}
	isMapping := node.Kind == yaml.MappingNode
	open, end := byte('['), byte(']')
	if isMapping {
		open, end = '{', '}'
	}
	dst = append(dst, open)
	for n, child := range node.Content {
		isKey := isMapping && n%2 == 0
		switch {
		case n == 0:
		case isMapping && !isKey:
			dst = append(dst, ':')
		default:
			dst = append(dst, ',')
		}
		var err error
		switch {
		case !isKey:
			dst, err = AppendTreeJSON(dst, child)
		case child.Kind != yaml.ScalarNode:
			err = fmt.Errorf("line %d: a key must be a scalar to be written as JSON", child.Line)
		default:
			dst = appendQuoted(dst, child.Value, false)
		}
		if err != nil {
			return nil, err
		}
	}
	return append(dst, end), nil
}

// EncodeJSON returns the JSON of a mapping or a list, as the method MarshalJSON of kyaml's RNode does: the content of its
// YAML text, with sorted keys.
func EncodeJSON(node *yaml.Node) ([]byte, error) {
	text, err := Encode(node)
	if err != nil {
		return nil, err
	}
	content := any(&map[string]any{})
	if node.Kind == yaml.SequenceNode {
		content = new([]any)
	}
	if err := yaml.Unmarshal(text, content); err != nil {
		return nil, err
	}
	return json.Marshal(content)
}

func appendScalarJSON(dst []byte, node *yaml.Node) ([]byte, error) {
	switch node.ShortTag() {
	case nullTag:
		return append(dst, "null"...), nil
	case "!!bool", "!!int", "!!float":
		if json.Valid([]byte(node.Value)) {
			return append(dst, node.Value...), nil
		}
		var value any
		if err := node.Decode(&value); err != nil {
			return nil, err
		}
		if number, ok := value.(float64); ok && (math.IsInf(number, 0) || math.IsNaN(number)) {
			return nil, fmt.Errorf("line %d: JSON has no number %q", node.Line, node.Value)
		}
		text, err := json.Marshal(value)
		return append(dst, text...), err
	default:
		return appendQuoted(dst, node.Value, false), nil
	}
}
