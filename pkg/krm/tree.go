package krm

import (
	"fmt"

	"go.yaml.in/yaml/v3"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-plugins/krm-functions/pkg/krm/field"
)

// The tags of strings, nulls and base64 texts.
const (
	stringTag = kyaml.NodeTagString
	nullTag   = kyaml.NodeTagNull
	binaryTag = "!!binary"
)

// maxNodes is the highest number of nodes of two trees that are compared.
const maxNodes = 1 << 18

// Limits of an object's expanded aliases, in nodes and in bytes of text.
const (
	maxAliasedNodes = 100_000
	maxAliasedText  = 4 << 20
)

// maxDepth is the highest nesting of lists and mappings of an object that is printed: the indentation of a few thousand
// levels is a thousand times as long as their text.
const maxDepth = 500

var errDeep = fmt.Errorf("must not nest more than %d lists and mappings in each other", maxDepth)

// isDeep reports whether lists and mappings of a tree without aliases are nested deeper than levels.
func isDeep(node *yaml.Node, levels int) bool {
	if node.Kind != yaml.ScalarNode && levels == 0 {
		return true
	}
	for _, child := range node.Content {
		if isDeep(child, levels-1) {
			return true
		}
	}
	return false
}

var errBomb = fmt.Errorf("aliases must not stand for more than %d nodes or %d MiB of text, or for themselves",
	maxAliasedNodes, maxAliasedText>>20)

// sizeOf estimates the size of a tree as text, in bytes.
func sizeOf(node *yaml.Node) int {
	size := len(node.Value) + 2
	for _, child := range node.Content {
		size += sizeOf(child)
	}
	return size
}

// Value returns the value of key in a mapping, or nil. It follows aliases.
func Value(mapping *yaml.Node, key string) *yaml.Node { return field.Value(mapping, key) }

func hasAliases(node *yaml.Node) bool {
	if node.Kind == yaml.AliasNode {
		return true
	}
	for _, child := range node.Content {
		if hasAliases(child) {
			return true
		}
	}
	return false
}

// expand copies a tree with its aliases expanded.
func expand(node *yaml.Node) (*yaml.Node, error) {
	left := allowance{nodes: maxAliasedNodes, text: maxAliasedText}
	if left.take(node, false); left.exhausted() {
		return nil, errBomb
	}
	return copyExpanded(node), nil
}

// allowance is the number of nodes, and the length of text, to which aliases may still expand.
type allowance struct{ nodes, text int }

func (a *allowance) exhausted() bool { return a.nodes < 0 || a.text < 0 }

// take subtracts the expansion of aliases in a tree.
func (a *allowance) take(node *yaml.Node, aliased bool) {
	source := field.Dereference(node)
	if aliased = aliased || node != source; aliased {
		a.nodes--
		a.text -= len(source.Value)
	}
	for _, child := range source.Content {
		if a.exhausted() {
			return
		}
		a.take(child, aliased)
	}
}

func copyExpanded(node *yaml.Node) *yaml.Node {
	source := field.Dereference(node)
	expanded := *source
	expanded.Anchor, expanded.Alias = "", nil
	if node != source {
		expanded.HeadComment, expanded.LineComment, expanded.FootComment = node.HeadComment, node.LineComment, node.FootComment
	}
	expanded.Content = make([]*yaml.Node, len(source.Content))
	for i, child := range source.Content {
		expanded.Content[i] = copyExpanded(child)
	}
	return &expanded
}

// equal reports whether two trees have the same keys, values and tags in the same order, in any style.
func equal(a, b *yaml.Node) bool {
	left := maxNodes
	return equalWithin(a, b, &left)
}

func equalWithin(a, b *yaml.Node, left *int) bool {
	a, b = field.Dereference(a), field.Dereference(b)
	if *left--; *left < 0 || a.Kind != b.Kind || len(a.Content) != len(b.Content) {
		return false
	}
	tag := a.ShortTag()
	if tag != b.ShortTag() || a.Value != b.Value && tag != nullTag {
		return false
	}
	for n := range a.Content {
		if !equalWithin(a.Content[n], b.Content[n], left) {
			return false
		}
	}
	return true
}

// identical reports whether two trees are written the same: equal, in the same style, with the same comments and
// anchors.
func identical(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || a.Tag != b.Tag || a.Value != b.Value || a.Anchor != b.Anchor ||
		a.HeadComment != b.HeadComment || a.LineComment != b.LineComment || a.FootComment != b.FootComment ||
		len(a.Content) != len(b.Content) {
		return false
	}
	isEmpty := a.Kind != yaml.ScalarNode && len(a.Content) == 0
	if a.Style != b.Style && !isEmpty {
		return false
	}
	for n := range a.Content {
		if !identical(a.Content[n], b.Content[n]) {
			return false
		}
	}
	return true
}
