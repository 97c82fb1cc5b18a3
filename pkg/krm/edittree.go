package krm

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// apply changes a tree without aliases as the edits say.
func (one edit) apply(root *yaml.Node) error {
	if !one.annotation {
		node, _ := one.path.Find(root)
		node.Kind, node.Content = yaml.ScalarNode, nil
		setString(node, one.value)
		return nil
	}
	if one.gone {
		removeAnnotation(root, one.key)
		return nil
	}
	meta, err := child(root, "metadata")
	if err != nil {
		return err
	}
	annotations, err := child(meta, "annotations")
	if err != nil {
		return err
	}
	if old := Value(annotations, one.key); old != nil {
		old.Kind, old.Content = yaml.ScalarNode, nil
		setString(old, one.value)
		return nil
	}
	annotations.Content = append(annotations.Content, newString(one.key), newString(one.value))
	return nil
}

// setString makes a node a string, quoted where another reader may take it for something else.
func setString(node *yaml.Node, value string) {
	node.Tag, node.Value = "!!str", value
	switch {
	case node.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		node.Style &= yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle
	case isPlain(value):
		node.Style = 0
	default:
		node.Style = yaml.DoubleQuotedStyle
	}
}

func newString(value string) *yaml.Node {
	node := &yaml.Node{Kind: yaml.ScalarNode}
	setString(node, value)
	return node
}

// child returns the mapping at key, which it adds where it is missing or null.
func child(mapping *yaml.Node, key string) (*yaml.Node, error) {
	old := Value(mapping, key)
	switch {
	case old == nil:
		old = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		mapping.Content = slices.Insert(mapping.Content, placeFor(mapping, key), newString(key), old)
	case old.Kind == yaml.ScalarNode && old.Tag == "!!null":
		*old = yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", LineComment: old.LineComment}
	case old.Kind != yaml.MappingNode:
		return nil, fmt.Errorf("%q must be a mapping to be annotated, not %s", key, describe(old))
	}
	return old, nil
}

// placeFor returns where in a mapping a new key belongs: metadata behind kind and apiVersion, others at the end.
func placeFor(mapping *yaml.Node, key string) int {
	if key == "metadata" {
		if n := max(keyIndex(mapping, "kind"), keyIndex(mapping, "apiVersion")); n >= 0 {
			return n + 2
		}
	}
	return len(mapping.Content)
}

// removeAnnotation removes an annotation, as often as it is given, and `annotations` with the last one.
func removeAnnotation(root *yaml.Node, key string) {
	meta := Value(root, "metadata")
	annotations := Value(meta, "annotations")
	removed := false
	for cut(annotations, key) {
		removed = true
	}
	if removed && len(annotations.Content) == 0 {
		cut(meta, "annotations")
	}
}

// cut removes the first field of that name from a mapping.
func cut(mapping *yaml.Node, key string) bool {
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		return false
	}
	for n := 0; n+1 < len(mapping.Content); n += 2 {
		if mapping.Content[n].Value == key {
			mapping.Content = slices.Delete(mapping.Content, n, n+2)
			return true
		}
	}
	return false
}
