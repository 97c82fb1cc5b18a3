package render

import (
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/manifest"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// orchestrators returns the orchestrators' annotations of an object.
func orchestrators(node *yaml.Node) []manifest.Field {
	var fields []manifest.Field
	annotations := krm.Value(krm.Value(node, "metadata"), "annotations")
	if annotations == nil {
		return nil
	}
	for i := 0; i+1 < len(annotations.Content); i += 2 {
		if key := annotations.Content[i].Value; isOrchestrators(key) {
			fields = append(fields, manifest.KV(key, manifest.String(annotations.Content[i+1].Value)))
		}
	}
	return fields
}

// same tells whether a document says what a tree says.
func same(tree manifest.Value, node *yaml.Node) bool {
	for node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	switch tree := tree.(type) {
	case manifest.Map:
		return sameMap(tree, node)
	case manifest.List:
		if node.Kind != yaml.SequenceNode || len(node.Content) != len(tree) {
			return false
		}
		for i, element := range tree {
			if !same(element, node.Content[i]) {
				return false
			}
		}
		return true
	case manifest.String:
		return scalar(node, "!!str") && node.Value == string(tree)
	case manifest.Int:
		return scalar(node, "!!int") && node.Value == strconv.FormatInt(int64(tree), 10)
	case manifest.Bool:
		return scalar(node, "!!bool") && node.Value == strconv.FormatBool(bool(tree))
	}
	return false
}

func sameMap(tree manifest.Map, node *yaml.Node) bool {
	if node.Kind != yaml.MappingNode || len(node.Content) != 2*len(tree) {
		return false
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if value := tree.Get(node.Content[i].Value); value == nil || !same(value, node.Content[i+1]) {
			return false
		}
	}
	return true
}

func scalar(node *yaml.Node, tag string) bool {
	return node.Kind == yaml.ScalarNode && node.ShortTag() == tag
}
