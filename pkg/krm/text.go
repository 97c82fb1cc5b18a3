package krm

import "go.yaml.in/yaml/v3"

// Text is a part of a file that an item was read from, or the bytes of an item in a list.
type Text struct {
	// File is the name of the file, or empty for an item of a list.
	File string
	// Above is the number of lines before the text.
	Above int
	// Bytes is the text. It must not be changed.
	Bytes []byte
}

// Texts returns the texts that the item was read from: its document, and the files that the document embeds. An item
// that was made from a tree has no texts, and neither has one of a list that was parsed as a whole.
func (i *Item) Texts() []Text {
	switch {
	case i.source != nil:
		return i.source.Texts()
	case i.raw != nil:
		return []Text{{Bytes: i.raw}}
	}
	return nil
}

// Item returns the item that the result is about, or nil.
func (r Result) Item() *Item { return r.item }

// Lines returns the lines of the item's texts that the result is about: that of its position, and for a position inside
// a scalar also that of the scalar's start. Columns are not set.
func (r Result) Lines() []Place {
	if r.item == nil {
		return nil
	}
	var lines []Place
	add := func(place Place) { lines = append(lines, Place{File: place.File, Line: place.Line}) }
	if r.item.source != nil {
		add(r.Place)
		if r.inside > 0 {
			add(r.item.PlaceOf(r.path()))
		}
		return lines
	}
	node := r.node()
	add(Place{Line: node.Line})
	if r.inside > 0 && node.Style&yaml.LiteralStyle != 0 {
		add(Place{Line: node.Line + r.inside})
	}
	return lines
}

// node returns the key or the value that the result is about, or its nearest existing parent.
func (r Result) node() *yaml.Node {
	if r.Tags[TargetTag] == TargetKey {
		if key, found := r.path().FindKey(r.item.YNode()); found {
			return key
		}
	}
	node, _ := r.path().Nearest(r.item.YNode())
	return node
}
