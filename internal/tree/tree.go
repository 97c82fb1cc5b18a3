// Package tree edits YAML trees by copying: what comes out shares with what went in all that did not change, comments and
// order included, and what went in stays as it was. So one baseline serves any number of forks, on any number of cores.
package tree

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Get returns the value at the keys below a mapping, nil where there is none.
func Get(node *yaml.Node, keys ...string) *yaml.Node {
	for _, key := range keys {
		node = krm.Value(node, key)
	}
	return node
}

// String returns the text at the keys below a mapping, empty where there is no scalar.
func String(node *yaml.Node, keys ...string) string {
	if found := Get(node, keys...); found != nil && found.Kind == yaml.ScalarNode && !IsNull(found) {
		return found.Value
	}
	return ""
}

// List returns the elements at the keys below a mapping, nil where there is no list.
func List(node *yaml.Node, keys ...string) []*yaml.Node {
	if found := Get(node, keys...); found != nil && found.Kind == yaml.SequenceNode {
		return found.Content
	}
	return nil
}

// IsMap tells whether a node is there and a mapping.
func IsMap(node *yaml.Node) bool { return node != nil && node.Kind == yaml.MappingNode }

// IsNull tells whether a node is there and null.
func IsNull(node *yaml.Node) bool {
	return node != nil && node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null"
}

// Find returns where in a mapping's content a key is, -1 where it is not.
func Find(mapping *yaml.Node, key string) int {
	if IsMap(mapping) {
		for i := 0; i+1 < len(mapping.Content); i += 2 {
			if mapping.Content[i].Value == key {
				return i
			}
		}
	}
	return -1
}

// With returns a mapping in which key has the value: in the place of its old value, whose comments stay, or at the end. A
// scalar that means the same stays as it is written. A node that is no mapping becomes one.
func With(mapping *yaml.Node, key string, value *yaml.Node) *yaml.Node {
	at := Find(mapping, key)
	if at >= 0 && value.Kind == yaml.ScalarNode && Equal(mapping.Content[at+1], value) {
		return mapping
	}
	twin := shell(mapping)
	if at >= 0 {
		twin.Content[at+1] = commented(value, mapping.Content[at+1])
		return twin
	}
	twin.Content = append(twin.Content, Text(key), value)
	return twin
}

// commented gives a value the comments of the one that it replaces.
func commented(value, old *yaml.Node) *yaml.Node {
	if value == old || value.HeadComment+value.LineComment+value.FootComment != "" ||
		old.HeadComment+old.LineComment+old.FootComment == "" || value.Kind != old.Kind {
		return value
	}
	twin := *value
	twin.HeadComment, twin.LineComment, twin.FootComment = old.HeadComment, old.LineComment, old.FootComment
	return &twin
}

// Without returns a mapping without the keys.
func Without(mapping *yaml.Node, keys ...string) *yaml.Node {
	return Only(mapping, func(key string) bool { return !slices.Contains(keys, key) })
}

// Only returns a mapping with the keys that keep holds for; the mapping itself where those are all.
func Only(mapping *yaml.Node, keep func(key string) bool) *yaml.Node {
	if !IsMap(mapping) {
		return mapping
	}
	var kept []*yaml.Node
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if keep(mapping.Content[i].Value) {
			kept = append(kept, mapping.Content[i], mapping.Content[i+1])
		}
	}
	if len(kept) == len(mapping.Content) {
		return mapping
	}
	twin := *mapping
	twin.Content = kept
	return &twin
}

// Update returns a mapping in which the value at the keys is what change makes of it; nil removes it. Change gets nil where
// there is none. Mappings on the way are made where they are missing, unless there is nothing to put there.
func Update(mapping *yaml.Node, change func(*yaml.Node) *yaml.Node, keys ...string) *yaml.Node {
	if len(keys) == 0 {
		return change(mapping)
	}
	old := raw(mapping, keys[0])
	fresh := Update(old, change, keys[1:]...)
	switch fresh {
	case old:
		return mapping
	case nil:
		return Without(mapping, keys[0])
	}
	return With(mapping, keys[0], fresh)
}

// Set returns a mapping with the value at the keys.
func Set(mapping, value *yaml.Node, keys ...string) *yaml.Node {
	return Update(mapping, func(*yaml.Node) *yaml.Node { return value }, keys...)
}

// raw returns the value of a key, nil where there is none or null.
func raw(mapping *yaml.Node, key string) *yaml.Node {
	if at := Find(mapping, key); at >= 0 && !IsNull(mapping.Content[at+1]) {
		return mapping.Content[at+1]
	}
	return nil
}

// WithContent returns a list or a mapping with other content.
func WithContent(node *yaml.Node, content []*yaml.Node) *yaml.Node {
	twin := *node
	twin.Content = content
	if len(content) > 0 && len(node.Content) == 0 {
		twin.Style &^= yaml.FlowStyle // what was written [] or {} is a block now
	}
	return &twin
}

// shell copies a mapping's node and the list of its content, not the content. What is no mapping becomes an empty one.
func shell(mapping *yaml.Node) *yaml.Node {
	if !IsMap(mapping) {
		return Map()
	}
	return WithContent(mapping, append(make([]*yaml.Node, 0, len(mapping.Content)+2), mapping.Content...))
}
