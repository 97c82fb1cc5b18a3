package field

import "go.yaml.in/yaml/v3"

// Value returns the value of key in a mapping, or nil. It follows aliases.
func Value(mapping *yaml.Node, key string) *yaml.Node {
	mapping = Dereference(mapping)
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		return nil
	}
	if n := KeyIndex(mapping, key); n >= 0 {
		return Dereference(mapping.Content[n+1])
	}
	return nil
}

func elementAt(list *yaml.Node, index int) *yaml.Node {
	list = Dereference(list)
	if list == nil || list.Kind != yaml.SequenceNode || index >= len(list.Content) {
		return nil
	}
	return Dereference(list.Content[index])
}

// Dereference returns the node that an alias stands for, and other nodes unchanged.
func Dereference(node *yaml.Node) *yaml.Node {
	for node != nil && node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	return node
}

// KeyIndex returns the index of a key in a mapping's content, or -1.
func KeyIndex(mapping *yaml.Node, key string) int {
	for n := 0; n+1 < len(mapping.Content); n += 2 {
		if mapping.Content[n].Value == key {
			return n
		}
	}
	return -1
}
