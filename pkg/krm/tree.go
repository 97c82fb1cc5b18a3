package krm

import (
	"errors"

	"go.yaml.in/yaml/v3"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
)

// The tags of strings, nulls and texts that are written as base64.
const (
	stringTag = kyaml.NodeTagString
	nullTag   = kyaml.NodeTagNull
	binaryTag = "!!binary"
)

// maxNodes is how many nodes an object may have once its aliases are replaced by what they stand for.
const maxNodes = 1 << 18

// maxAliased is how much text, in bytes, the aliases of an object may stand for.
const maxAliased = 16 << 20

var errBomb = errors.New("aliases must not stand for more than 262,144 nodes or 16 MiB of text, or for themselves")

// Value returns the value of key in a mapping, nil if there is none. It looks through aliases.
func Value(mapping *yaml.Node, key string) *yaml.Node {
	mapping = dereference(mapping)
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		return nil
	}
	if n := keyIndex(mapping, key); n >= 0 {
		return dereference(mapping.Content[n+1])
	}
	return nil
}

func elementAt(list *yaml.Node, index int) *yaml.Node {
	list = dereference(list)
	if list == nil || list.Kind != yaml.SequenceNode || index >= len(list.Content) {
		return nil
	}
	return dereference(list.Content[index])
}

func dereference(node *yaml.Node) *yaml.Node {
	for node != nil && node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	return node
}

// keyIndex returns where in a mapping's content a key is, -1 if there is none.
func keyIndex(mapping *yaml.Node, key string) int {
	for n := 0; n+1 < len(mapping.Content); n += 2 {
		if mapping.Content[n].Value == key {
			return n
		}
	}
	return -1
}

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

// expand copies a tree, and replaces its aliases by what they stand for.
func expand(node *yaml.Node) (*yaml.Node, error) {
	e := expander{nodes: maxNodes, text: maxAliased}
	expanded := e.copy(node, false)
	if e.exhausted() {
		return nil, errBomb
	}
	return expanded, nil
}

// expander copies a tree as long as some nodes, and some text of aliases, are left.
type expander struct{ nodes, text int }

func (e *expander) exhausted() bool { return e.nodes < 0 || e.text < 0 }

func (e *expander) copy(node *yaml.Node, aliased bool) *yaml.Node {
	source := dereference(node)
	aliased = aliased || node != source
	if e.nodes--; aliased {
		e.text -= len(source.Value)
	}
	if e.exhausted() {
		return node
	}
	expanded := *source
	expanded.Anchor, expanded.Alias = "", nil
	if node != source {
		expanded.HeadComment, expanded.LineComment, expanded.FootComment = node.HeadComment, node.LineComment, node.FootComment
	}
	expanded.Content = make([]*yaml.Node, 0, len(source.Content))
	for _, child := range source.Content {
		if e.exhausted() {
			break
		}
		expanded.Content = append(expanded.Content, e.copy(child, aliased))
	}
	return &expanded
}

// equal reports whether two trees mean the same: the same keys, values and tags in the same order, whatever their style.
func equal(a, b *yaml.Node) bool {
	left := maxNodes
	return equalWithin(a, b, &left)
}

func equalWithin(a, b *yaml.Node, left *int) bool {
	a, b = dereference(a), dereference(b)
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

// identical reports whether two trees are written the same: in the same style, with the same comments and anchors.
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
