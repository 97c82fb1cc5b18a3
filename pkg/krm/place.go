package krm

import (
	"strconv"

	"go.yaml.in/yaml/v3"
)

// PlaceOf returns where the field at path is written, or its nearest parent that exists. Of an item that came in with a
// list only the file is known, and that only where the orchestrator's annotation can be trusted: under kustomize the
// paths are made up.
func (i *Item) PlaceOf(path Path) Place {
	if !i.placed {
		if file := i.file(); file != nil {
			return Place{File: file.Path}
		}
		return Place{}
	}
	node := path.nearest(i.Node())
	return Place{File: i.origin, Line: node.Line, Column: node.Column}
}

func (i *Item) file() *File {
	if _, kustomize := i.Annotation(kustomizeAnnotation); kustomize {
		return nil
	}
	path, ok := i.Annotation(pathAnnotation)
	if !ok {
		return nil
	}
	text, _ := i.Annotation(indexAnnotation)
	index, _ := strconv.Atoi(text)
	return &File{Path: path, Index: index}
}

// scalar returns the scalar at path as it was read, nil where there is none.
func (i *Item) scalar(path Path) any {
	node, ok := path.Find(i.Node())
	if !ok || node.Kind != yaml.ScalarNode {
		return nil
	}
	return node.Value
}
