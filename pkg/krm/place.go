package krm

import (
	"strconv"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/kyaml/kio/kioutil"
)

// Source finds the nodes of an item's tree in its text.
type Source interface {
	// Place returns the position of a node of the tree.
	Place(node *yaml.Node) Place
	// Inside returns the position of a line and a column of a scalar's value, both counted from 1, columns in
	// characters; column 0 is the start of the line's text. It returns false if only the position of the scalar is
	// known.
	Inside(node *yaml.Node, line, column int) (Place, bool)
	// Texts returns the texts of the item: its document, and the files that the document embeds.
	Texts() []Text
}

// named is a source with only a file name.
type named string

// Place returns the node's own line and column.
func (n named) Place(node *yaml.Node) Place {
	return Place{File: string(n), Line: node.Line, Column: node.Column}
}

// Inside returns the position of the scalar.
func (n named) Inside(node *yaml.Node, _, _ int) (Place, bool) { return n.Place(node), false }

// Texts returns nil.
func (named) Texts() []Text { return nil }

// Locate sets the source of an item that did not come with a list.
func (i *Item) Locate(source Source) { i.source = source }

// PlaceOf returns the position of the field at path, or of its nearest existing parent. For an item of a list only the
// file is known, and only if the orchestrator's annotation can be trusted: kustomize invents the paths.
func (i *Item) PlaceOf(path Path) Place {
	if i.source == nil {
		return i.placeOf(nil)
	}
	nearest, _ := path.Nearest(i.YNode())
	return i.placeOf(nearest)
}

// PlaceInside returns the position of a line and a column of the value of the scalar at path, as Source.Inside does. If
// it is not known, it returns that of the scalar and false.
func (i *Item) PlaceInside(path Path, line, column int) (Place, bool) {
	node, found := path.Find(i.YNode())
	if i.source == nil || !found || node.Kind != yaml.ScalarNode {
		return i.PlaceOf(path), false
	}
	return i.source.Inside(node, line, column)
}

func (i *Item) placeOf(node *yaml.Node) Place {
	if i.source != nil {
		return i.source.Place(node)
	}
	if file := i.file(); file != nil {
		return Place{File: file.Path}
	}
	return Place{}
}

func (i *Item) file() *File {
	if _, kustomize := i.Annotation(kustomizeAnnotation); kustomize {
		return nil
	}
	path, ok := i.Annotation(kioutil.PathAnnotation)
	if !ok || len(path) > longestFile {
		return nil
	}
	text, _ := i.Annotation(kioutil.IndexAnnotation)
	index, _ := strconv.Atoi(text)
	return &File{Path: path, Index: index}
}

// scalar returns the scalar at path as it was read, or nil.
func (i *Item) scalar(path Path) any {
	if value, ok := i.before[path]; ok {
		return value
	}
	node, ok := path.Find(i.YNode())
	if !ok || node.Kind != yaml.ScalarNode {
		return nil
	}
	return node.Value
}
