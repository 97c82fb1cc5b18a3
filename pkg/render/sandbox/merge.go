package sandbox

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/tree"
)

// Merge applies a merge patch (RFC 7386): mappings are merged, null removes, anything else replaces.
func MergePatch(target, patch *yaml.Node) *yaml.Node {
	if !tree.IsMap(patch) || !tree.IsMap(target) {
		return withoutNulls(patch)
	}
	for i := 0; i+1 < len(patch.Content); i += 2 {
		key, value := patch.Content[i].Value, patch.Content[i+1]
		if tree.IsNull(value) {
			target = tree.Without(target, key)
			continue
		}
		if old := tree.Get(target, key); old != nil {
			value = MergePatch(old, value)
		} else {
			value = withoutNulls(value)
		}
		target = tree.With(target, key, value)
	}
	return target
}

// withoutNulls removes the fields that are null: in what is new there is nothing that a null could remove.
func withoutNulls(node *yaml.Node) *yaml.Node {
	if len(node.Content) == 0 {
		return node
	}
	content := make([]*yaml.Node, 0, len(node.Content))
	for i := 0; i < len(node.Content); i++ {
		child := node.Content[i]
		if node.Kind == yaml.MappingNode {
			if i++; tree.IsNull(node.Content[i]) {
				continue
			}
			content = append(content, child, withoutNulls(node.Content[i]))
			continue
		}
		content = append(content, withoutNulls(child))
	}
	return tree.WithContent(node, content)
}
