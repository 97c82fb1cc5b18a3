package krm

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/yamlprint"
)

// Bytes returns the object as block YAML without indentation, ending in a newline. An unchanged item of NewItem keeps
// its bytes; all others are printed, without anchors.
func (i *Item) Bytes() ([]byte, error) {
	if i.raw == nil || i.element || !i.isRaw() || i.err != nil {
		return i.print()
	}
	text := i.raw
	if isEnded := text[len(text)-1] == '\n'; isEnded && !i.unsure {
		return text, nil
	} else if !isEnded {
		text = append(text[:len(text):len(text)], '\n')
	}
	if roundTrips(text, i.YNode()) {
		return text, nil
	}
	return i.print()
}

// print prints the tree.
func (i *Item) print() ([]byte, error) {
	text, err := encode(i.YNode())
	if i.err != nil {
		err = i.err
	}
	if err != nil {
		return nil, i.wrap(err)
	}
	return text, nil
}

// wrap adds the object's kind and name to an error.
func (i *Item) wrap(err error) error { return fmt.Errorf("%s %s: %w", i.Kind(), i.Name(), err) }

// encode prints a tree as block YAML as kyaml's encoder does, with aliases expanded. Trees that the encoder gets wrong
// are printed without comments and styles.
func encode(node *yaml.Node) ([]byte, error) {
	if hasAliases(node) {
		var err error
		if node, err = expand(node); err != nil {
			return nil, err
		}
	}
	if isDeep(node, maxDepth) {
		return nil, errDeep
	}
	if text, ok := yamlprint.AppendTree(nil, node); ok {
		return text, nil
	}
	text, err := yamlprint.Encode(node)
	if err == nil && roundTrips(text, node) {
		return text, nil
	}
	bare, err := expand(node)
	if err != nil {
		return nil, err
	}
	strip(bare)
	if text, err = yamlprint.Encode(bare); err != nil {
		return nil, notYAML(nil, err)
	}
	if !roundTrips(text, node) {
		return nil, errors.New("the object cannot be written as YAML")
	}
	return text, nil
}

// roundTrips reports whether a text parses to the tree.
func roundTrips(text []byte, node *yaml.Node) bool {
	read, err := parseOne(text)
	return err == nil && equal(read, node)
}

// strip removes comments and styles from a tree; strings are quoted and nulls spelled out, so that they keep their
// types.
func strip(node *yaml.Node) {
	node.HeadComment, node.LineComment, node.FootComment = "", "", ""
	node.Style &= yaml.TaggedStyle
	switch node.ShortTag() {
	case stringTag:
		node.Style = yaml.DoubleQuotedStyle
	case nullTag:
		node.Value = "null"
	}
	for _, child := range node.Content {
		strip(child)
	}
}

// appendElement appends an object in block style as an element of a list whose dashes are at column.
func appendElement(to, text []byte, column int, lineEnd string) []byte {
	indent := strings.Repeat(" ", column)
	lead := indent + "- "
	for line := range bytes.Lines(text) {
		if line = bytes.TrimRight(line, "\r\n"); len(line) > 0 {
			to = append(to, lead...)
			lead = indent + "  "
		}
		to = append(append(to, line...), lineEnd...)
	}
	return to
}
