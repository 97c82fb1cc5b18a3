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
