package krm

import (
	"errors"

	"go.yaml.in/yaml/v3"
)

// mostNodes is how many nodes an object may have once its aliases are replaced by what they stand for.
const mostNodes = 1 << 18

var errBomb = errors.New("aliases must not stand for more than 262,144 nodes, or for themselves")

// expand copies a tree, and replaces its aliases by what they stand for.
func expand(node *yaml.Node) (*yaml.Node, error) {
	e := expansion{left: mostNodes}
	copied := e.copy(node)
	if e.left < 0 {
		return nil, errBomb
	}
	return copied, nil
}

type expansion struct{ left int }

func (e *expansion) copy(node *yaml.Node) *yaml.Node {
	if e.left--; e.left < 0 {
		return node
	}
	source := dereference(node)
	twin := *source
	twin.Anchor, twin.Alias = "", nil
	if node != source {
		twin.HeadComment, twin.LineComment, twin.FootComment = node.HeadComment, node.LineComment, node.FootComment
	}
	twin.Content = make([]*yaml.Node, 0, len(source.Content))
	for _, child := range source.Content {
		if e.left < 0 {
			break
		}
		twin.Content = append(twin.Content, e.copy(child))
	}
	return &twin
}

// same tells whether two trees mean the same: the same keys, values and tags in the same order, whatever their style.
func same(a, b *yaml.Node) bool {
	left := mostNodes
	return sameWithin(a, b, &left)
}

func sameWithin(a, b *yaml.Node, left *int) bool {
	a, b = dereference(a), dereference(b)
	if *left--; *left < 0 || a.Kind != b.Kind || len(a.Content) != len(b.Content) {
		return false
	}
	tag := a.ShortTag()
	if tag != b.ShortTag() || a.Value != b.Value && tag != "!!null" {
		return false
	}
	for i := range a.Content {
		if !sameWithin(a.Content[i], b.Content[i], left) {
			return false
		}
	}
	return true
}
