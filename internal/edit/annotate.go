package edit

import (
	"bytes"
	"errors"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Annotation is an annotation of an object.
type Annotation struct{ Key, Value string }

var (
	errAnnotations = errors.New("metadata.annotations must be a mapping with an entry, or absent, to be added to")
	errMetadata    = errors.New("metadata must be a mapping with a name in one line to be added to")
)

// Annotate sets annotations of the object at a place. New ones are added before the others, or below the name.
func (c *Change) Annotate(object krm.Place, annotations ...Annotation) error {
	metadata := c.own(c.at[position{object.Line, object.Column}], "metadata")
	if metadata == nil {
		return errMetadata
	}
	present := c.own(metadata, "annotations")
	if present == nil && krm.Value(metadata, "annotations") != nil {
		return errAnnotations
	}
	var added []Annotation
	for _, one := range annotations {
		old := krm.Value(present, one.Key)
		if old == nil {
			added = append(added, one)
			continue
		}
		if err := c.Set(krm.Place{Line: old.Line, Column: old.Column}, old.Value, one.Value); err != nil {
			return err
		}
	}
	switch {
	case len(added) == 0:
		return nil
	case present == nil:
		return c.addBelowName(metadata, added)
	}
	return c.addInFront(present, added)
}

// own returns the mapping at a key, or nil if it is missing, empty, or an alias.
func (c *Change) own(mapping *yaml.Node, key string) *yaml.Node {
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		return nil
	}
	value := krm.Value(mapping, key)
	if value == nil || value.Kind != yaml.MappingNode || len(value.Content) == 0 || c.shared[value] || c.aliases[value] > 0 {
		return nil
	}
	return value
}

// addInFront adds annotations before the existing ones.
func (c *Change) addInFront(present *yaml.Node, added []Annotation) error {
	at, ok := c.text.Offset(present.Content[0].Line, present.Content[0].Column)
	switch indent, alone := c.indent(at); {
	case ok && c.isFlow(present):
		c.insert(at, c.entries(added, ", ")+", ")
	case ok && alone:
		c.insert(at, c.entries(added, c.lineEnd(at)+indent)+c.lineEnd(at)+indent)
	default:
		return errAnnotations
	}
	c.grow(present, 0, nodes(added)...)
	return nil
}

// addBelowName adds the mapping of annotations after the name.
func (c *Change) addBelowName(metadata *yaml.Node, added []Annotation) error {
	index := 0
	for metadata.Content[index].Value != "name" {
		if index += 2; index == len(metadata.Content) {
			return errMetadata
		}
	}
	label, name := metadata.Content[index], metadata.Content[index+1]
	scalar, ok := c.text.Scalar(name.Line, name.Column, name.Value)
	at, found := c.text.Offset(label.Line, label.Column)
	if !ok || !found || scalar.Block {
		return errMetadata
	}
	switch indent, alone := c.indent(at); {
	case c.isFlow(metadata):
		c.insert(scalar.End, ", "+c.quote("annotations", 0)+": {"+c.entries(added, ", ")+"}")
	case alone:
		end := c.lineEnd(at)
		text := indent + "annotations:" + end + indent + "  " + c.entries(added, end+indent+"  ")
		next := c.afterLine(scalar.End)
		if c.text.bytes[next-1] == '\n' {
			text += end
		} else {
			text = end + text
		}
		c.insert(next, text)
	default:
		return errMetadata
	}
	mapping := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: nodes(added)}
	c.grow(metadata, index+2, stringNode("annotations"), mapping)
	return nil
}

// entries returns annotations as YAML.
func (c *Change) entries(annotations []Annotation, separator string) string {
	texts := make([]string, len(annotations))
	for i, one := range annotations {
		texts[i] = c.quote(one.Key, 0) + ": " + c.quote(one.Value, yaml.SingleQuotedStyle)
	}
	return strings.Join(texts, separator)
}

func nodes(annotations []Annotation) (nodes []*yaml.Node) {
	for _, one := range annotations {
		nodes = append(nodes, stringNode(one.Key), stringNode(one.Value))
	}
	return nodes
}

func stringNode(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
}

func (c *Change) isFlow(mapping *yaml.Node) bool {
	return c.text.isJSON || mapping.Style&yaml.FlowStyle != 0
}

// indent returns the text before a byte in its line, and whether it is only blanks.
func (c *Change) indent(at int) (indent string, alone bool) {
	indent = string(c.text.bytes[bytes.LastIndexByte(c.text.bytes[:at], '\n')+1 : at])
	return indent, strings.Trim(indent, " ") == ""
}

// afterLine returns the start of the line after that of a byte.
func (c *Change) afterLine(at int) int {
	if n := bytes.IndexByte(c.text.bytes[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(c.text.bytes)
}

// lineEnd returns the line ending at a byte.
func (c *Change) lineEnd(at int) string {
	if bytes.HasSuffix(c.text.bytes[:c.afterLine(at)], []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}
