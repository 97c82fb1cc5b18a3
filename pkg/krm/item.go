package krm

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// The orchestrators' annotations that say where an object came from.
const (
	pathAnnotation      = "internal.config.kubernetes.io/path"
	indexAnnotation     = "internal.config.kubernetes.io/index"
	kustomizeAnnotation = "kustomize.config.k8s.io/id"
)

// The paths that every object is known by.
const (
	versionPath     Path = "apiVersion"
	kindPath        Path = "kind"
	namePath        Path = "metadata.name"
	namespacePath   Path = "metadata.namespace"
	annotationsPath Path = "metadata.annotations"
)

// Item is one object of a ResourceList. Its bytes are kept; its tree is parsed when somebody asks for it.
type Item struct {
	list     *ResourceList // it came in with, nil for others
	slot     int           // its place in that list, from 1
	span     span          // in that list's bytes, where they are known
	text     []byte        // of an item that did not come in with a list
	replaced *Item         // whose place it took

	peeked bool // known says what the tree would
	known  [peekFields]string
	once   sync.Once
	tree   *yaml.Node
	broken error
	odd    bool // only the parser understands its bytes: what is cut into them is checked
	above  int  // how many lines are above it in the text that the tree's lines count from

	edits  []edit
	order  int
	source Source // of the tree, nil where the item came in with a list
}

// APIVersion returns the object's apiVersion, empty where it has none.
func (i *Item) APIVersion() string { return i.field(versionPath, peekVersion) }

// Kind returns the object's kind, empty where it has none.
func (i *Item) Kind() string { return i.field(kindPath, peekKind) }

// Name returns the object's metadata.name.
func (i *Item) Name() string { return i.field(namePath, peekName) }

// Namespace returns the object's metadata.namespace.
func (i *Item) Namespace() string { return i.word(namespacePath) }

func (i *Item) field(path Path, peek int) string {
	if i.peeked && len(i.edits) == 0 {
		return i.known[peek]
	}
	return i.word(path)
}

// word returns the scalar at path, empty where there is none or null.
func (i *Item) word(path Path) string {
	text, _ := i.value(path)
	return text
}

// value returns the scalar at path with the edits made so far. There is none where it is null.
func (i *Item) value(path Path) (string, bool) {
	if edit := i.edited(path); edit != nil {
		return edit.value, !edit.gone
	}
	node, ok := path.Find(i.Node())
	if !ok || node.Kind != yaml.ScalarNode || node.Tag == "!!null" {
		return "", false
	}
	return node.Value, true
}

// Annotation returns one of the object's annotations, with the edits made so far. Where the object's bytes show that
// there is none nothing is parsed.
func (i *Item) Annotation(key string) (string, bool) {
	path := annotationPath(key)
	if i.peeked && i.edited(path) == nil && cannotHold(i.raw(), key) {
		return "", false
	}
	return i.value(path)
}

// cannotHold tells that no key of a text is this one: neither is it written there nor is there an escape, a doubled quote
// or a fold that could hide it.
func cannotHold(text []byte, key string) bool {
	return !strings.ContainsAny(key, " '") && !bytes.Contains(text, []byte(key)) && bytes.IndexByte(text, '\\') < 0
}

// Node returns the object's tree as it was read. It must not be changed: edits go through Set and Annotate.
func (i *Item) Node() *yaml.Node {
	i.once.Do(func() {
		if i.tree, i.broken = i.parse(); i.broken != nil {
			i.tree = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		}
	})
	return i.tree
}

func (i *Item) parse() (*yaml.Node, error) {
	if i.list != nil && i.list.json != nil {
		return jsonTree(i.raw())
	}
	node, err := parseOne(i.raw())
	if err == nil && i.list != nil {
		if !isElement(node) {
			return nil, fmt.Errorf("line %d: must be an object (a mapping)", i.span.line)
		}
		node = node.Content[0]
	}
	return node, err
}

// raw returns the item's bytes as they came in, those of a list with the dash and what follows up to the next.
func (i *Item) raw() []byte {
	if i.list == nil {
		return i.text
	}
	return i.list.src[i.span.start:i.span.next]
}

// Ref names the object for a result.
func (i *Item) Ref() ResourceRef {
	return ResourceRef{APIVersion: i.APIVersion(), Kind: i.Kind(), Name: i.Name(), Namespace: i.Namespace()}
}
