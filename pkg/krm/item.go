package krm

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"go.yaml.in/yaml/v3"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-plugins/krm-functions/pkg/krm/internal/scan"
)

// kustomizeAnnotation is on the objects that kustomize sends.
const kustomizeAnnotation = "kustomize.config.k8s.io/id"

// The paths that identify an object.
const (
	versionPath     Path = "apiVersion"
	kindPath        Path = "kind"
	namePath        Path = "metadata.name"
	namespacePath   Path = "metadata.namespace"
	annotationsPath Path = "metadata.annotations"
)

// Item is one object of a ResourceList. Different items may be used concurrently, and so may the methods of one item
// that do not change it.
type Item struct {
	list *ResourceList // that it was read with, or nil
	slot int           // its place in that list, from 1
	line int           // in that list, 0 if unknown

	raw     []byte // as it was read, nil if it was made from a tree
	element bool   // raw is an element of a list, with its dash and indentation
	unsure  bool   // raw is not written in a plain block style
	header  scan.Header

	once    sync.Once
	parsed  atomic.Bool // the tree exists: reading it is faster than searching the text
	tree    *kyaml.RNode
	err     error        // of parsing or writing the tree
	changed bool         // the item differs from the one read
	printed bool         // raw is the printed changed tree, see Release
	before  map[Path]any // the old values of scalars that Set, Annotate and Unannotate changed; nil for added ones

	order    int
	replaced *Item  // the item that it replaces
	source   Source // of the tree, nil if the item was read with a list
}

// NewItem returns the item of an object as block-style YAML without indentation, such as a renderer prints. The item
// keeps raw, which must not be changed. Plain block style is not parsed before the tree is needed. It is an error if
// raw is not one YAML document, or not a mapping.
func NewItem(raw []byte) (*Item, error) {
	item := &Item{raw: raw}
	var ok bool
	if item.header, ok = scan.Object(raw); ok {
		return item, nil
	}
	node, err := parseOne(raw)
	if err != nil {
		return nil, err
	}
	if node.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("must be an object (a mapping), not %s", describe(node))
	}
	item.setTree(node)
	item.unsure = true
	if !scan.IsPlain(raw) {
		item.raw = nil
	}
	return item, nil
}

// FromNode returns the item of a tree whose lines and columns are those of the named file.
func FromNode(node *yaml.Node, file string) *Item { return FromSource(node, named(file)) }

// FromSource returns the item of a tree that was read from a text.
func FromSource(node *yaml.Node, source Source) *Item {
	item := &Item{source: source}
	item.setTree(node)
	return item
}

func (i *Item) setTree(node *yaml.Node) { i.once.Do(func() { i.tree = kyaml.NewRNode(node) }) }

// Size returns the length of the object's text, or an estimate if it has none.
func (i *Item) Size() int {
	if i.raw != nil {
		return len(i.raw)
	}
	return sizeOf(i.YNode())
}

// APIVersion returns the object's apiVersion, or "".
func (i *Item) APIVersion() string {
	if i.header.Known && i.isRaw() {
		return i.header.APIVersion
	}
	return i.text(versionPath)
}

// Kind returns the object's kind, or "".
func (i *Item) Kind() string {
	if i.header.Known && i.isRaw() {
		return i.header.Kind
	}
	return i.text(kindPath)
}

// Name returns the object's metadata.name, or "".
func (i *Item) Name() string {
	if i.header.Known && i.isRaw() {
		return i.header.Name
	}
	return i.text(namePath)
}

// Namespace returns the object's metadata.namespace, or "".
func (i *Item) Namespace() string {
	if i.header.Known && i.isRaw() {
		return i.header.Namespace
	}
	return i.text(namespacePath)
}

// Ref identifies the object in a result.
func (i *Item) Ref() ResourceRef {
	return ResourceRef{
		TypeMeta: kyaml.TypeMeta{APIVersion: i.APIVersion(), Kind: i.Kind()},
		NameMeta: kyaml.NameMeta{Name: i.Name(), Namespace: i.Namespace()},
	}
}

// Annotation returns one of the object's annotations. Nothing is parsed if the object's bytes show it, or that it is absent.
func (i *Item) Annotation(key string) (string, bool) {
	if !i.parsed.Load() && i.header.Known && i.isRaw() {
		if cannotHold(i.raw, key) {
			return "", false
		}
		if value, ok := scan.Annotation(i.raw, key); ok && !i.element {
			return string(value), value != nil
		}
	}
	return i.value(annotationsPath.Key(key))
}

// cannotHold reports that a text does not have the key: it is not written there, and no escape, doubled quote or fold
// could hide it.
func cannotHold(text []byte, key string) bool {
	return !strings.ContainsAny(key, " '") && !bytes.Contains(text, []byte(key)) && bytes.IndexByte(text, '\\') < 0
}

func (i *Item) text(path Path) string {
	text, _ := i.value(path)
	return text
}

// value returns the scalar at path, and false if it is missing or null.
func (i *Item) value(path Path) (string, bool) {
	node, ok := path.Find(i.YNode())
	if !ok || node.Kind != yaml.ScalarNode || node.ShortTag() == nullTag {
		return "", false
	}
	return decoded(node), true
}

// decoded returns the text of a scalar. The tag !!binary is decoded, as kustomize and kubectl do.
func decoded(scalar *yaml.Node) string {
	if scalar.ShortTag() == binaryTag {
		// Line breaks are ignored by the decoder; blanks are not.
		if text, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(scalar.Value, " ", "")); err == nil {
			return string(text)
		}
	}
	return scalar.Value
}

// RNode returns the object's tree, which is parsed at the first call. It is for reading: change it within Edit, or the
// change may not be written. The tree of an item that is not valid YAML is empty, and writing the item is an error.
func (i *Item) RNode() *kyaml.RNode {
	i.once.Do(func() {
		node, err := i.parse()
		if err != nil {
			node, i.err = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}, err
		}
		i.tree = kyaml.NewRNode(node)
		i.parsed.Store(true)
	})
	return i.tree
}

// Parse parses the object's tree, unless it already is. It is an error if the object is not valid YAML.
func (i *Item) Parse() error {
	i.RNode()
	return i.err
}

// YNode returns the root of the object's tree, as RNode does.
func (i *Item) YNode() *yaml.Node { return i.RNode().YNode() }

func (i *Item) parse() (*yaml.Node, error) {
	node, err := parseOne(bytes.ReplaceAll(i.raw, []byte("\r\n"), []byte("\n")))
	if err != nil || !i.element {
		return node, err
	}
	if !isElement(node) {
		return nil, fmt.Errorf("line %d: must be an object (a mapping)", i.line)
	}
	return node.Content[0], nil
}

// isElement reports whether a tree is a list with one object.
func isElement(node *yaml.Node) bool {
	return node.Kind == yaml.SequenceNode && node.Style&yaml.FlowStyle == 0 && len(node.Content) == 1 &&
		node.Content[0].Kind == yaml.MappingNode
}
