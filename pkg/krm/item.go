package krm

import (
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// The orchestrators' annotations that say where an object came from.
const (
	pathAnnotation  = "internal.config.kubernetes.io/path"
	indexAnnotation = "internal.config.kubernetes.io/index"
)

// Item is one object of a ResourceList. Its bytes are kept; its tree is parsed when somebody asks for it.
type Item struct {
	node   *yaml.Node
	order  int
	origin string // the file it was read from, in file mode
}

// NewItem takes an object as block-style YAML (no indentation, no document marker), such as a renderer prints.
func NewItem(raw []byte) (*Item, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(raw, &document); err != nil {
		return nil, err
	}
	if len(document.Content) != 1 || document.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("must be a mapping")
	}
	return &Item{node: document.Content[0]}, nil
}

// FromNode takes an object as a tree whose lines and columns are those of the named file.
func FromNode(node *yaml.Node, file string) *Item { return &Item{node: node, origin: file} }

// APIVersion returns the object's apiVersion, empty where it has none.
func (i *Item) APIVersion() string { return i.text("apiVersion") }

// Kind returns the object's kind, empty where it has none.
func (i *Item) Kind() string { return i.text("kind") }

// Name returns the object's metadata.name.
func (i *Item) Name() string { return i.text("metadata.name") }

// Namespace returns the object's metadata.namespace.
func (i *Item) Namespace() string { return i.text("metadata.namespace") }

// Annotation returns one of the object's annotations, with the edits made so far.
func (i *Item) Annotation(key string) (string, bool) {
	node, ok := Path("metadata.annotations").Key(key).Find(i.node)
	if !ok {
		return "", false
	}
	return node.Value, true
}

// Node returns the object's tree as it was read. It must not be changed: edits go through Set and Annotate.
func (i *Item) Node() *yaml.Node { return i.node }

// Set replaces the scalar at path, which must exist, by a string.
func (i *Item) Set(path Path, value string) error {
	node, ok := path.Find(i.node)
	if !ok || node.Kind != yaml.ScalarNode {
		return fmt.Errorf("%s: there is no scalar to set", path)
	}
	node.SetString(value)
	return nil
}

// Annotate sets an annotation, and adds `metadata` and `annotations` where they are missing.
func (i *Item) Annotate(key, value string) {
	annotations := child(child(i.node, "metadata"), "annotations")
	if old := Value(annotations, key); old != nil {
		old.SetString(value)
		return
	}
	var k, v yaml.Node
	k.SetString(key)
	v.SetString(value)
	annotations.Content = append(annotations.Content, &k, &v)
}

// Unannotate removes an annotation where it is present.
func (i *Item) Unannotate(key string) {
	annotations := Value(Value(i.node, "metadata"), "annotations")
	if annotations == nil {
		return
	}
	for n := 0; n+1 < len(annotations.Content); n += 2 {
		if annotations.Content[n].Value == key {
			annotations.Content = append(annotations.Content[:n], annotations.Content[n+2:]...)
			return
		}
	}
}

// Ref names the object for a result.
func (i *Item) Ref() ResourceRef {
	return ResourceRef{APIVersion: i.APIVersion(), Kind: i.Kind(), Name: i.Name(), Namespace: i.Namespace()}
}

// PlaceOf returns where the field at path is written, or its nearest parent that exists.
func (i *Item) PlaceOf(path Path) Place {
	node, ok := path.Find(i.node)
	if !ok {
		node = i.node
	}
	return Place{File: i.origin, Line: node.Line, Column: node.Column}
}

func (i *Item) file() *File {
	path, ok := i.Annotation(pathAnnotation)
	if !ok {
		return nil
	}
	text, _ := i.Annotation(indexAnnotation)
	index, _ := strconv.Atoi(text)
	return &File{Path: path, Index: index}
}

func (i *Item) text(path Path) string {
	node, ok := path.Find(i.node)
	if !ok || node.Kind != yaml.ScalarNode {
		return ""
	}
	return node.Value
}

func (i *Item) scalar(path Path) any {
	node, ok := path.Find(i.node)
	if !ok || node.Kind != yaml.ScalarNode {
		return nil
	}
	return node.Value
}

func child(mapping *yaml.Node, key string) *yaml.Node {
	if old := Value(mapping, key); old != nil {
		return old
	}
	var k yaml.Node
	k.SetString(key)
	v := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	mapping.Content = append(mapping.Content, &k, v)
	return v
}
