package krm

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/pkg/krm/field"
)

// Edit calls change with the object's tree, which it may change in any way. If the tree differs afterwards, the item is
// printed again when the list is written. Edit returns the error of change.
func (i *Item) Edit(change func(object *kyaml.RNode) error) error {
	before := kyaml.CopyYNode(i.YNode())
	err := change(i.tree)
	if !identical(before, i.YNode()) {
		i.changed, i.printed = true, false
	}
	return err
}

// Set replaces the scalar at path, which must exist, with a string. No byte changes if it already is that string. Bytes
// that are not UTF-8 become U+FFFD, here and in Annotate: neither YAML nor JSON can represent them.
func (i *Item) Set(path Path, value string) error {
	value = validText(value)
	node, ok := path.Find(i.YNode())
	if !ok || node.Kind != yaml.ScalarNode || path == "" {
		return fmt.Errorf("%s: there is no scalar to set", path)
	}
	if isString(node, value) {
		return nil
	}
	if err := i.startEdit(path); err != nil {
		return err
	}
	node, _ = path.Find(i.YNode())
	setString(node, value)
	return nil
}

// Annotate sets an annotation, and adds `metadata` and `annotations` if they are missing. If one of them is not a
// mapping, writing the item is an error. No byte changes if the annotation already has that value.
func (i *Item) Annotate(key, value string) {
	key, value = validText(key), validText(value)
	if node, ok := annotationsPath.Key(key).Find(i.YNode()); ok && isString(node, value) {
		return
	}
	err := i.startEdit(annotationsPath.Key(key))
	if err == nil {
		err = annotate(i.YNode(), key, value)
	}
	i.fail(err)
}

// Unannotate removes an annotation if it is present, and `annotations` with the last one.
func (i *Item) Unannotate(key string) {
	key = validText(key)
	if _, ok := annotationsPath.Key(key).Find(i.YNode()); !ok {
		return
	}
	if err := i.startEdit(annotationsPath.Key(key)); err != nil {
		i.fail(err)
		return
	}
	metadata := Value(i.YNode(), "metadata")
	annotations := Value(metadata, "annotations")
	for n := field.KeyIndex(annotations, key); n >= 0; n = field.KeyIndex(annotations, key) {
		annotations.Content = slices.Delete(annotations.Content, n, n+2)
	}
	if len(annotations.Content) == 0 {
		n := field.KeyIndex(metadata, "annotations")
		metadata.Content = slices.Delete(metadata.Content, n, n+2)
	}
}

func (i *Item) fail(err error) {
	if i.err == nil {
		i.err = err
	}
}

// startEdit prepares a change of the scalar at path. The tree's aliases are expanded, so that the edit of one field
// does not affect others.
func (i *Item) startEdit(path Path) error {
	root := i.YNode()
	if _, ok := i.before[path]; !ok {
		if i.before == nil {
			i.before = map[Path]any{}
		}
		i.before[path] = i.scalar(path)
	}
	if hasAliases(root) {
		expanded, err := expand(root)
		if err != nil {
			return err
		}
		*root = *expanded
	}
	i.changed, i.printed = true, false
	return nil
}

func validText(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

// isString reports whether a node is the string value.
func isString(node *yaml.Node, value string) bool {
	return node.Kind == yaml.ScalarNode && node.ShortTag() == stringTag && node.Value == value
}

// setString makes a node a string of one line. It keeps the node's quotes.
func setString(node *yaml.Node, value string) {
	node.Tag, node.Value, node.Style = stringTag, value, yamlprint.Restyle(value, node.Style)
}

func newString(value string) *yaml.Node {
	node := &yaml.Node{Kind: yaml.ScalarNode}
	setString(node, value)
	return node
}

// annotate sets an annotation in a tree without aliases.
func annotate(root *yaml.Node, key, value string) error {
	metadata, err := child(root, "metadata")
	if err != nil {
		return err
	}
	annotations, err := child(metadata, "annotations")
	if err != nil {
		return err
	}
	if old := Value(annotations, key); old != nil {
		old.Kind, old.Content = yaml.ScalarNode, nil
		setString(old, value)
		return nil
	}
	annotations.Content = append(annotations.Content, newString(key), newString(value))
	return nil
}

// child returns the mapping at key. It is added if it is missing or null.
func child(mapping *yaml.Node, key string) (*yaml.Node, error) {
	old := Value(mapping, key)
	switch {
	case old == nil:
		old = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		mapping.Content = slices.Insert(mapping.Content, indexFor(mapping, key), newString(key), old)
	case old.ShortTag() == nullTag || old.Kind == yaml.MappingNode && len(old.Content) == 0:
		mapping.Content[field.KeyIndex(mapping, key)].LineComment = old.LineComment
		*old = yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	case old.Kind != yaml.MappingNode:
		return nil, fmt.Errorf("%q must be a mapping to be annotated, not %s", key, describe(old))
	}
	return old, nil
}

// indexFor returns the index in a mapping's content for a new key: metadata after kind and apiVersion, others at the
// end.
func indexFor(mapping *yaml.Node, key string) int {
	if key == "metadata" {
		if n := max(field.KeyIndex(mapping, "kind"), field.KeyIndex(mapping, "apiVersion")); n >= 0 {
			return n + 2
		}
	}
	return len(mapping.Content)
}
