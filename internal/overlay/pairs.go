package overlay

import (
	"iter"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// pairs runs through the entries of a mapping: its own, then those that merge keys (`<<`) bring in under other keys.
// Keys that are not strings and keys that are repeated are problems.
func (r *reader) pairs(node *yaml.Node, at krm.Path) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		seen := make(map[string]bool, len(node.Content)/2)
		var merged []*yaml.Node
		for i := 0; i+1 < len(node.Content); i += 2 {
			key, value := node.Content[i], node.Content[i+1]
			_, isWord := word(key)
			switch {
			case key.ShortTag() == "!!merge":
				merged = append(merged, value)
			case isWord || key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str":
				r.report(key, at, "must have strings as keys, not %s: quote it", describe(key))
			case seen[key.Value]:
				r.report(key, at.Key(key.Value), "must be given once: the key is repeated")
			default:
				seen[key.Value] = true
				if !yield(key, value) {
					return
				}
			}
		}
		for _, source := range merged {
			for _, mapping := range r.sources(source, at) {
				for i := 0; i+1 < len(mapping.Content); i += 2 {
					key := mapping.Content[i]
					if seen[key.Value] || key.ShortTag() != "!!str" {
						continue
					}
					seen[key.Value] = true
					if !yield(key, mapping.Content[i+1]) {
						return
					}
				}
			}
		}
	}
}

// sources returns the mappings that the value of a merge key names: one, or a list of them.
func (r *reader) sources(node *yaml.Node, at krm.Path) []*yaml.Node {
	nodes := []*yaml.Node{node}
	if node.Kind == yaml.SequenceNode {
		nodes = node.Content
	}
	var mappings []*yaml.Node
	for _, n := range nodes {
		for n.Kind == yaml.AliasNode {
			n = n.Alias
		}
		if n.Kind != yaml.MappingNode {
			r.report(n, at.Key("<<"), "must be a mapping or a list of mappings, not %s", describe(n))
			continue
		}
		mappings = append(mappings, n)
	}
	return mappings
}
