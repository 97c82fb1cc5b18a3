package krm

import "go.yaml.in/yaml/v3"

// Value returns the value of key in a mapping, nil where there is none. It looks through aliases.
func Value(mapping *yaml.Node, key string) *yaml.Node {
	mapping = dereference(mapping)
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return dereference(mapping.Content[i+1])
		}
	}
	return nil
}

func element(list *yaml.Node, index int) *yaml.Node {
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

// keyIndex returns where in a mapping's content a key is, -1 where there is none.
func keyIndex(mapping *yaml.Node, key string) int {
	for n := 0; n+1 < len(mapping.Content); n += 2 {
		if mapping.Content[n].Value == key {
			return n
		}
	}
	return -1
}
