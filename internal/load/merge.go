package load

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// mergeTop replaces a merge key (`<<`) at the top of a document with the merged keys, as kustomize does. The keys
// beside it take precedence, and of several merged mappings the earlier ones.
func mergeTop(root *yaml.Node) {
	if root.Kind != yaml.MappingNode {
		return
	}
	at := slices.IndexFunc(root.Content, func(node *yaml.Node) bool { return node.ShortTag() == "!!merge" })
	if at < 0 || at%2 != 0 {
		return
	}
	sources := []*yaml.Node{dereference(root.Content[at+1])}
	if sources[0].Kind == yaml.SequenceNode {
		sources = sources[0].Content
	}
	root.Content = slices.Delete(root.Content, at, at+2)
	for _, source := range sources {
		if source = dereference(source); source.Kind != yaml.MappingNode {
			continue
		}
		for pair := range slices.Chunk(source.Content, 2) {
			if krm.Value(root, pair[0].Value) == nil {
				root.Content = append(root.Content, pair...)
			}
		}
	}
}

// dereference returns the node that an alias stands for, and any other node itself.
func dereference(node *yaml.Node) *yaml.Node {
	for node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	return node
}
