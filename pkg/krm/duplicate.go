package krm

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm/field"
)

// mergeKey adds the fields of other mappings to its own (https://yaml.org/type/merge.html).
const mergeKey = "<<"

// CheckIdentity returns an error if YAML readers may disagree on the identity of an object: its apiVersion, kind, metadata,
// name or namespace is given twice, or may come from a merge key. Of duplicate keys the first one counts here, and the last
// one in other programs. Nothing is parsed if the object's bytes show that it has no such key.
func (i *Item) CheckIdentity() error {
	if i.header.Known && i.isRaw() && !i.header.Repeats {
		return nil
	}
	if err := i.Parse(); err != nil {
		return err
	}
	root := i.YNode()
	for _, mapping := range []struct {
		at   Path
		node *yaml.Node
		keys []string
	}{
		{"", root, []string{string(versionPath), string(kindPath), "metadata"}},
		{"metadata", Value(root, "metadata"), []string{"name", "namespace"}},
	} {
		seen := map[string]bool{}
		for key := range keysOf(mapping.node) {
			switch {
			case key == mergeKey:
				return fmt.Errorf("%s must not be used here: write the fields out", mapping.at.Key(key))
			case seen[key] && slices.Contains(mapping.keys, key):
				return twice(mapping.at.Key(key))
			}
			seen[key] = true
		}
	}
	return nil
}

// CheckKeys returns an error if a mapping of the object has a key twice.
func (i *Item) CheckKeys() error {
	if err := i.Parse(); err != nil {
		return err
	}
	if path, found := repeatedKey(i.YNode(), ""); found {
		return twice(path)
	}
	return nil
}

func twice(path Path) error {
	return fmt.Errorf("%s must not be given twice: remove one of them", path)
}

// keysOf iterates over the keys of a mapping, none if it is not one.
func keysOf(mapping *yaml.Node) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		mapping = field.Dereference(mapping)
		if mapping == nil || mapping.Kind != yaml.MappingNode {
			return
		}
		for n := 0; n+1 < len(mapping.Content); n += 2 {
			if !yield(field.Dereference(mapping.Content[n]).Value) {
				return
			}
		}
	}
}

// repeatedKey returns the path of the first key that is given twice in a tree. Aliases are not followed: their targets are
// in the tree.
func repeatedKey(node *yaml.Node, at Path) (Path, bool) {
	if node.Kind == yaml.MappingNode {
		seen := make(map[string]bool, len(node.Content)/2)
		for key := range keysOf(node) {
			if seen[key] {
				return at.Key(key), true
			}
			seen[key] = true
		}
	}
	for n, child := range node.Content {
		below := at
		switch {
		case child.Kind == yaml.ScalarNode || child.Kind == yaml.AliasNode:
			continue
		case node.Kind == yaml.SequenceNode:
			below = at.Index(n)
		case n%2 == 1:
			below = at.Key(node.Content[n-1].Value)
		}
		if path, found := repeatedKey(child, below); found {
			return path, true
		}
	}
	return "", false
}
