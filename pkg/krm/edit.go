package krm

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// edit is a queued change of one scalar: a new string, or its removal.
type edit struct {
	path       Path // as Path.canonical spells it
	annotation bool // it names an annotation, which need not exist
	key        string
	value      string
	gone       bool
}

// Set replaces the scalar at path, which must exist, by a string. Where it is that string already no byte changes.
func (i *Item) Set(path Path, value string) error {
	path = path.canonical()
	if key, ok := annotationKey(path); ok {
		if _, exists := i.Annotation(key); exists {
			i.Annotate(key, value)
			return nil
		}
	}
	node, ok := path.Find(i.Node())
	if !ok || node.Kind != yaml.ScalarNode || path == "" {
		return fmt.Errorf("%s: there is no scalar to set", path)
	}
	i.queue(edit{path: path, value: value})
	return nil
}

// Annotate sets an annotation, and adds `metadata` and `annotations` where they are missing. Where they are there but
// are no mappings, writing the item is an error.
func (i *Item) Annotate(key, value string) {
	i.queue(edit{path: annotationPath(key), annotation: true, key: key, value: value})
}

// Unannotate removes an annotation where it is present, and `annotations` with the last one.
func (i *Item) Unannotate(key string) {
	i.queue(edit{path: annotationPath(key), annotation: true, key: key, gone: true})
}

func annotationPath(key string) Path { return annotationsPath.Key(strings.ToValidUTF8(key, "\ufffd")) }

// annotationKey returns the key of a path that names an annotation.
func annotationKey(path Path) (string, bool) {
	rest, ok := strings.CutPrefix(string(path), string(annotationsPath))
	if !ok || rest == "" {
		return "", false
	}
	key, index, rest, ok := nextStep(rest)
	return key, ok && index < 0 && rest == ""
}

// queue takes an edit. Bytes that are not UTF-8 become U+FFFD: neither YAML nor JSON can hold them.
func (i *Item) queue(one edit) {
	one.key = strings.ToValidUTF8(one.key, "\ufffd")
	one.value = strings.ToValidUTF8(one.value, "\ufffd")
	if old := i.edited(one.path); old != nil {
		*old = one
		return
	}
	i.edits = append(i.edits, one)
}

func (i *Item) edited(path Path) *edit {
	for n := range i.edits {
		if i.edits[n].path == path {
			return &i.edits[n]
		}
	}
	return nil
}

// changes returns the queued edits that change something.
func (i *Item) changes() []edit {
	if len(i.edits) == 0 {
		return nil
	}
	root := i.Node()
	return slices.DeleteFunc(slices.Clone(i.edits), func(one edit) bool {
		node, ok := one.path.Find(root)
		if !ok {
			return one.gone
		}
		return !one.gone && node.Kind == yaml.ScalarNode && node.ShortTag() == "!!str" && node.Value == one.value
	})
}

// apply changes a tree without aliases as the edits say.
func (one edit) apply(root *yaml.Node) error {
	if !one.annotation {
		node, _ := one.path.Find(root)
		node.Kind, node.Content = yaml.ScalarNode, nil
		setString(node, one.value)
		return nil
	}
	if one.gone {
		removeAnnotation(root, one.key)
		return nil
	}
	meta, err := child(root, "metadata")
	if err != nil {
		return err
	}
	annotations, err := child(meta, "annotations")
	if err != nil {
		return err
	}
	if old := Value(annotations, one.key); old != nil {
		old.Kind, old.Content = yaml.ScalarNode, nil
		setString(old, one.value)
		return nil
	}
	annotations.Content = append(annotations.Content, newString(one.key), newString(one.value))
	return nil
}

// setString makes a node a string, quoted where another reader may take it for something else.
func setString(node *yaml.Node, value string) {
	node.Tag, node.Value = "!!str", value
	switch {
	case node.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		node.Style &= yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle
	case isPlain(value):
		node.Style = 0
	default:
		node.Style = yaml.DoubleQuotedStyle
	}
}

func newString(value string) *yaml.Node {
	node := &yaml.Node{Kind: yaml.ScalarNode}
	setString(node, value)
	return node
}

// child returns the mapping at key, which it adds where it is missing or null.
func child(mapping *yaml.Node, key string) (*yaml.Node, error) {
	old := Value(mapping, key)
	switch {
	case old == nil:
		old = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		mapping.Content = slices.Insert(mapping.Content, placeFor(mapping, key), newString(key), old)
	case old.Kind == yaml.ScalarNode && old.Tag == "!!null":
		*old = yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", LineComment: old.LineComment}
	case old.Kind != yaml.MappingNode:
		return nil, fmt.Errorf("%q must be a mapping to be annotated, not %s", key, describe(old))
	}
	return old, nil
}

// placeFor returns where in a mapping a new key belongs: metadata behind kind and apiVersion, others at the end.
func placeFor(mapping *yaml.Node, key string) int {
	if key == "metadata" {
		if n := max(keyIndex(mapping, "kind"), keyIndex(mapping, "apiVersion")); n >= 0 {
			return n + 2
		}
	}
	return len(mapping.Content)
}

// removeAnnotation removes an annotation, and `annotations` with the last one.
func removeAnnotation(root *yaml.Node, key string) {
	meta := Value(root, "metadata")
	annotations := Value(meta, "annotations")
	if cut(annotations, key) && len(annotations.Content) == 0 {
		cut(meta, "annotations")
	}
}

// cut removes the first field of that name from a mapping.
func cut(mapping *yaml.Node, key string) bool {
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		return false
	}
	for n := 0; n+1 < len(mapping.Content); n += 2 {
		if mapping.Content[n].Value == key {
			mapping.Content = slices.Delete(mapping.Content, n, n+2)
			return true
		}
	}
	return false
}
