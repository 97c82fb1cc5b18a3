package krm

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// NewItem takes an object as block-style YAML (no indentation, no document marker), such as a renderer prints. The item
// keeps raw.
func NewItem(raw []byte) (*Item, error) {
	item := &Item{text: raw}
	var seen peek
	seen.reset(0)
	reader := entry{lines: lines{src: raw}, stop: -1, peek: &seen}
	if reader.recognise() && seen.object {
		item.identify(&seen, map[string]string{})
		return item, nil
	}
	node, err := parseOne(raw)
	if err != nil {
		return nil, err
	}
	if node.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("must be an object (a mapping), not %s", describe(node))
	}
	item.know(node)
	item.odd = true
	if _, tidy := cleanLines(raw); !tidy || hasByteOrderMark(raw) || bytes.HasPrefix(raw, []byte("---")) {
		item.text = nil
	}
	return item, nil
}

// FromNode takes an object as a tree whose lines and columns are those of the named file.
func FromNode(node *yaml.Node, file string) *Item { return FromSource(node, named(file)) }

// FromSource takes an object as a tree that was read from a text.
func FromSource(node *yaml.Node, source Source) *Item {
	item := &Item{source: source}
	item.know(node)
	return item
}

// identify takes over what the scanner saw. It shares equal strings.
func (i *Item) identify(seen *peek, names map[string]string) {
	if i.peeked = !seen.unsure; !i.peeked {
		return
	}
	for field, value := range seen.value {
		if field == peekName {
			i.known[field] = string(value)
			continue
		}
		name, ok := names[string(value)]
		if !ok {
			name = string(value)
			names[name] = name
		}
		i.known[field] = name
	}
}

// know gives the item its tree.
func (i *Item) know(node *yaml.Node) { i.once.Do(func() { i.tree = node }) }
