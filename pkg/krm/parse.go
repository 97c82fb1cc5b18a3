package krm

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm/field"
	"github.com/resource-plugins/krm-functions/pkg/krm/internal/scan"
)

// MaxItems is the highest number of items in a list.
const MaxItems = 1 << 20

// FallbackLimit is the size in bytes up to which a list that is not plain enough to be scanned is parsed as a whole.
// The parser needs many times that size in memory, so a larger list is an error.
const FallbackLimit = 16 << 20

// largeInput is the size in bytes from which an input must contain the word ResourceList to be parsed.
const largeInput = 1 << 20

var errTooMany = fmt.Errorf("`items` must have at most %d items", MaxItems)

// Parse reads one ResourceList, YAML or JSON, of version v1, v1beta1 or v1alpha1. The list keeps src, which must not be
// changed while the list is in use.
//
// The error is one line with the problem and its position: the input is not YAML, has a second document, is not a
// ResourceList, or is larger than FallbackLimit and not plain enough to be scanned; `items` is not a list, or longer
// than MaxItems; or an item is not an object. It is an ItemsError if items lack one of apiVersion, kind and metadata.name. A
// missing or null `items` is an empty list.
func Parse(src []byte) (*ResourceList, error) {
	list := &ResourceList{src: src}
	if err := list.load(); err != nil {
		return nil, err
	}
	if err := list.checkHead(); err != nil {
		return nil, err
	}
	if err := list.readConfig(); err != nil {
		return nil, err
	}
	list.read = slices.Clone(list.items)
	for n, item := range list.read {
		item.slot = n + 1
	}
	if err := list.checkItems(); err != nil {
		return nil, err
	}
	return list, nil
}

func (l *ResourceList) load() error {
	if ok, err := l.scan(); ok || err != nil {
		return err
	}
	root, err := l.parse()
	if err != nil {
		return err
	}
	l.root = root
	return l.takeFields()
}

// scan reads the list with the scanner. It returns false if the whole list must be parsed.
func (l *ResourceList) scan() (bool, error) {
	layout, err := scan.List(l.src, MaxItems)
	if err != nil {
		if errors.Is(err, scan.ErrTooMany) {
			return false, errTooMany
		}
		return false, nil
	}
	all := make([]Item, len(layout.Items))
	l.items = make([]*Item, len(all))
	var unsure []*Item
	for n := range layout.Items {
		found, item := &layout.Items[n], &all[n]
		item.list, item.order, item.line = l, n, found.Line
		item.raw, item.element, item.header = l.src[found.Start:found.End:found.End], true, found.Header
		if item.unsure = found.NeedsParse; item.unsure {
			unsure = append(unsure, item)
		}
		l.items[n] = item
	}
	_ = parseAll(unsure) // the parser of the whole list has the better message
	if slices.ContainsFunc(unsure, func(item *Item) bool { return item.err != nil }) {
		l.items = nil
		return false, nil
	}
	l.layout, l.version, l.kind = layout, layout.APIVersion, layout.Kind
	return true, nil
}

// parse reads the whole list as a tree.
func (l *ResourceList) parse() (*yaml.Node, error) {
	if l.isJSON = isJSON(l.src); l.isJSON {
		return jsonTree(l.src)
	}
	if len(l.src) > largeInput && !bytes.Contains(l.src, []byte(listKind)) {
		return nil, fmt.Errorf("not a ResourceList: the input has %d bytes and nowhere the word %q", len(l.src), listKind)
	}
	if len(l.src) > FallbackLimit {
		return nil, fmt.Errorf("a ResourceList of %d bytes must be plain block YAML or JSON: what needs the full parser must "+
			"have at most %d bytes", len(l.src), FallbackLimit)
	}
	root, err := parseOne(l.src)
	if errors.Is(err, errEmpty) {
		return nil, errors.New("not a ResourceList: the input is empty")
	}
	if err == nil && root.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("not a ResourceList: must be a mapping, not %s", describe(root))
	}
	return root, err
}

// takeFields takes the list's fields from its tree.
func (l *ResourceList) takeFields() error {
	seen := map[string]bool{}
	for i := 0; i+1 < len(l.root.Content); i += 2 {
		key, value := field.Dereference(l.root.Content[i]), field.Dereference(l.root.Content[i+1])
		if key.Kind != yaml.ScalarNode {
			return fmt.Errorf("line %d: a field's name must be a string, not %s", l.root.Content[i].Line, describe(key))
		}
		if seen[key.Value] {
			return fmt.Errorf("line %d: field %q must not be given twice", key.Line, key.Value)
		}
		seen[key.Value] = true
		switch key.Value {
		case "apiVersion":
			l.version = value.Value
		case "kind":
			l.kind = value.Value
		case "items":
			if err := l.takeItems(value); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *ResourceList) takeItems(items *yaml.Node) error {
	if items.ShortTag() == nullTag {
		return nil
	}
	if items.Kind != yaml.SequenceNode {
		return fmt.Errorf("line %d: `items` must be a list, not %s", items.Line, describe(items))
	}
	if len(items.Content) > MaxItems {
		return errTooMany
	}
	for n, node := range items.Content {
		object := field.Dereference(node)
		if object.Kind != yaml.MappingNode {
			return fmt.Errorf("items[%d] (line %d): must be an object (a mapping), not %s", n, node.Line, describe(node))
		}
		if hasAliases(node) {
			var err error
			if object, err = expand(node); err != nil {
				return fmt.Errorf("items[%d] (line %d): %w", n, node.Line, err)
			}
		}
		item := &Item{list: l, line: node.Line}
		item.setTree(object)
		l.Append(item)
	}
	return nil
}

// readConfig takes the functionConfig, which is small, as a tree.
func (l *ResourceList) readConfig() error {
	const name = "functionConfig"
	root := l.root
	if l.layout != nil {
		field := l.layout.Field(name)
		if field == nil {
			return nil
		}
		var err error
		if root, err = parseOne(l.src[field.Start:field.Next]); err != nil {
			return err
		}
	}
	config := Value(root, name)
	if config == nil || config.ShortTag() == nullTag {
		return nil
	}
	if config.Kind != yaml.MappingNode {
		return fmt.Errorf("`functionConfig` must be an object (a mapping), not %s", describe(config))
	}
	if len(config.Content) > 0 {
		l.config = config
	}
	return nil
}
