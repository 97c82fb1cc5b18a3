package registry

import (
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/pkg/krm/field"
)

// Text returns the value of a scalar, or "" if it is missing or null.
func Text(mapping *yaml.Node, key string) string {
	if value := field.Value(mapping, key); value != nil && value.Kind == yaml.ScalarNode && value.ShortTag() != "!!null" {
		return value.Value
	}
	return ""
}

// Elements returns the elements of a list, with their aliases replaced.
func Elements(mapping *yaml.Node, key string) []*yaml.Node {
	list := field.Value(mapping, key)
	if list == nil || list.Kind != yaml.SequenceNode {
		return nil
	}
	all := make([]*yaml.Node, len(list.Content))
	for i, node := range list.Content {
		all[i] = field.Dereference(node)
	}
	return all
}

// mapping, scalar, treeOf and set build trees.
func mapping() *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"} }

func scalar(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Style: yamlprint.StyleOf(text)}
}

func treeOf(object any) *yaml.Node {
	return yamlprint.ReadJSON(string(yamlprint.AppendJSON(nil, object)))
}

// set sets a value of a mapping, in place of an existing value. The mapping is printed in block style.
func set(mapping *yaml.Node, key string, value *yaml.Node) {
	mapping.Style &^= yaml.FlowStyle
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			mapping.Content[i+1] = value
			return
		}
	}
	mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, value)
}

// addTexts adds entries to a mapping of strings, which it creates if it is missing.
func addTexts(parent *yaml.Node, key string, entries map[string]string) {
	texts := field.Value(parent, key)
	if texts == nil || texts.Kind != yaml.MappingNode {
		texts = mapping()
		set(parent, key, texts)
	}
	for i := 1; i < len(texts.Content); i += 2 {
		if value := texts.Content[i]; value.Kind == yaml.ScalarNode && value.ShortTag() != "!!str" {
			texts.Content[i] = scalar(value.Value) // as crossplane read it, unlike a cluster
		}
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		set(texts, name, scalar(entries[name]))
	}
}

func remove(mapping *yaml.Node, key string) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			mapping.Content = slices.Delete(mapping.Content, i, i+2)
			return
		}
	}
}
