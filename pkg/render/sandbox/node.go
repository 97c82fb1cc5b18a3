package sandbox

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Workloads that are changed in place are changed as YAML, so that the rest keeps its form.

func nodesOf(mapping *yaml.Node, key string) []*yaml.Node {
	if list := krm.Value(mapping, key); list != nil && list.Kind == yaml.SequenceNode {
		return list.Content
	}
	return nil
}

func valueOf(node *yaml.Node) string {
	if node == nil {
		return ""
	}
	return node.Value
}

func setText(node *yaml.Node, value string) {
	if node.Value != value {
		node.Tag, node.Value, node.Style = "!!str", value, yamlprint.Restyle(value, node.Style)
	}
}

func removeKey(mapping *yaml.Node, key string) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			mapping.Content = slices.Delete(mapping.Content, i, i+2)
			return
		}
	}
}

func newText(value string) *yaml.Node {
	node := &yaml.Node{Kind: yaml.ScalarNode}
	setText(node, value)
	return node
}

// newMapping returns a mapping of keys and values, which are strings and nodes.
func newMapping(pairs ...any) *yaml.Node {
	node := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for _, one := range pairs {
		if key, isKey := one.(string); isKey {
			node.Content = append(node.Content, newText(key))
		} else {
			node.Content = append(node.Content, one.(*yaml.Node))
		}
	}
	return node
}
