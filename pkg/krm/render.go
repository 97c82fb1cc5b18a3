package krm

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// inBlock tells whether the item's bytes are those of a block-style list.
func (i *Item) inBlock() bool { return i.list != nil && i.list.json == nil && i.span.next > 0 }

// editedTree returns a copy of the tree with the edits, and without aliases.
func (i *Item) editedTree() (*yaml.Node, error) {
	node := i.Node()
	if i.broken != nil {
		return nil, i.broken
	}
	tree, err := expand(node)
	if err != nil {
		return nil, i.blame(err)
	}
	for _, one := range i.changes() {
		if err := one.apply(tree); err != nil {
			return nil, i.blame(err)
		}
	}
	return tree, nil
}

// blame says which object an error is about.
func (i *Item) blame(err error) error { return fmt.Errorf("%s %s: %w", i.Kind(), i.Name(), err) }

// blockText returns the item's bytes with its edits: in a list with its dash and indentation.
func (i *Item) blockText() ([]byte, error) {
	src, eol := i.text, lineEnd(i.text)
	if i.text == nil {
		src, eol = i.list.src[i.span.start:i.span.end], i.list.eol()
	}
	changes := i.changes()
	if len(changes) == 0 {
		return src, nil
	}
	c := newCutter(src, eol, i.above)
	if c.apply(i.Node(), changes) {
		text := applyPatches(c.src, c.patches)
		if !c.careful && !i.odd || i.inParsed() || i.confirms(text) {
			return text, nil
		}
	}
	tree, err := i.editedTree()
	if err != nil {
		return nil, err
	}
	text, err := encode(tree)
	if err != nil {
		return nil, i.blame(err)
	}
	if i.text != nil {
		return withLineEnds(text, eol), nil
	}
	return indentItem(nil, text, i.list.layout.column, eol), nil
}

// inParsed tells whether the item is of a list that is checked as a whole when it is written.
func (i *Item) inParsed() bool { return i.inBlock() && i.list.root != nil }

// confirms tells whether text says what the edited tree says.
func (i *Item) confirms(text []byte) bool {
	want, err := i.editedTree()
	if err != nil {
		return false
	}
	got, err := parseOne(text)
	if err != nil {
		return false
	}
	if i.text == nil {
		if !isElement(got) {
			return false
		}
		got = got.Content[0]
	}
	return same(got, want)
}
