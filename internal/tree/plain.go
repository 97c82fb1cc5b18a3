package tree

import (
	"errors"

	"go.yaml.in/yaml/v3"
)

// mostNodes is how many nodes an object may have once its aliases are replaced by what they stand for.
const mostNodes = 1 << 18

// ErrTooLarge tells of a few lines that mean millions.
var ErrTooLarge = errors.New("aliases must not stand for more than 262,144 nodes, or for themselves")

// Plain returns a tree without aliases and merge keys (`<<`), which are replaced by what they stand for, so that an edit in
// one place changes no other. A tree that has none is returned itself.
func Plain(node *yaml.Node) (*yaml.Node, error) {
	if !isKnotted(node) {
		return node, nil
	}
	p := plainer{left: mostNodes}
	if plain := p.copy(node); p.left >= 0 {
		return plain, nil
	}
	return nil, ErrTooLarge
}

func isKnotted(node *yaml.Node) bool {
	if node.Kind == yaml.AliasNode || node.Anchor != "" {
		return true
	}
	for i, child := range node.Content {
		if isKnotted(child) || node.Kind == yaml.MappingNode && i%2 == 0 && isMerge(child) {
			return true
		}
	}
	return false
}

func isMerge(key *yaml.Node) bool { return key.ShortTag() == "!!merge" }

type plainer struct{ left int }

func (p *plainer) copy(node *yaml.Node) *yaml.Node {
	for node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if p.left--; p.left < 0 {
		return node
	}
	twin := *node
	twin.Anchor, twin.Content = "", nil
	var merged []*yaml.Node
	for i, child := range node.Content {
		if p.left < 0 {
			break
		}
		switch {
		case node.Kind != yaml.MappingNode || i%2 == 0 && !isMerge(child) || i%2 == 1 && !isMerge(node.Content[i-1]):
			twin.Content = append(twin.Content, p.copy(child))
		case i%2 == 1:
			merged = append(merged, p.sources(child)...)
		}
	}
	for _, source := range merged {
		p.fill(&twin, source)
	}
	return &twin
}

// sources returns the mappings that the value of a merge key names: one, or a list of them.
func (p *plainer) sources(value *yaml.Node) []*yaml.Node {
	plain := p.copy(value)
	if plain.Kind == yaml.SequenceNode {
		return plain.Content
	}
	return []*yaml.Node{plain}
}

// fill adds the fields that a mapping does not have yet.
func (p *plainer) fill(mapping, source *yaml.Node) {
	if !IsMap(source) {
		return
	}
	for i := 0; i+1 < len(source.Content); i += 2 {
		if Find(mapping, source.Content[i].Value) < 0 {
			mapping.Content = append(mapping.Content, source.Content[i], source.Content[i+1])
		}
	}
}
