package krm

import (
	"bytes"
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// FallbackLimit is the size in bytes up to which a list that is not plain enough to be scanned is parsed as a whole. The
// parser needs many times the size in memory, so a larger one is an error.
const FallbackLimit = 16 << 20

// largeInput is the size in bytes from which on an input must name what it is somewhere before it is parsed.
const largeInput = 1 << 20

// parse reads the list with the parser.
func (l *ResourceList) parse() error {
	if len(l.src) > largeInput && !bytes.Contains(l.src, []byte(listKind)) {
		return fmt.Errorf("not a ResourceList: the input has %d bytes and nowhere the word %q", len(l.src), listKind)
	}
	if len(l.src) > FallbackLimit {
		return fmt.Errorf("a ResourceList of %d bytes must be plain block YAML or JSON: what needs the full parser must have "+
			"at most %d bytes", len(l.src), FallbackLimit)
	}
	root, err := parseOne(l.src)
	if errors.Is(err, errEmpty) {
		return errors.New("not a ResourceList: the input is empty")
	}
	if err != nil {
		return err
	}
	if root.Kind != yaml.MappingNode {
		return fmt.Errorf("not a ResourceList: must be a mapping, not %s", describe(root))
	}
	l.root = root
	if err := l.takeFields(root); err != nil {
		return err
	}
	l.locate()
	return nil
}

// takeFields takes the list's fields from its tree.
func (l *ResourceList) takeFields(root *yaml.Node) error {
	seen := map[string]bool{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := dereference(root.Content[i]), dereference(root.Content[i+1])
		if key.Kind != yaml.ScalarNode {
			return fmt.Errorf("line %d: a field's name must be a string, not %s", root.Content[i].Line, describe(key))
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
	if items.Tag == "!!null" {
		return nil
	}
	if items.Kind != yaml.SequenceNode {
		return fmt.Errorf("line %d: `items` must be a list, not %s", items.Line, describe(items))
	}
	if len(items.Content) > MostItems {
		return errExcess
	}
	for n, node := range items.Content {
		object := dereference(node)
		if object.Kind != yaml.MappingNode {
			return fmt.Errorf("items[%d] (line %d): must be an object (a mapping), not %s", n, node.Line, describe(node))
		}
		item := &Item{list: l, span: span{line: node.Line}, odd: true}
		item.know(object)
		l.add(item)
	}
	return nil
}

// readConfig takes the functionConfig, which is small, as a tree.
func (l *ResourceList) readConfig() error {
	config, err := l.configTree()
	if err != nil || config == nil || config.Tag == "!!null" {
		return err
	}
	if config.Kind != yaml.MappingNode {
		return fmt.Errorf("`functionConfig` must be an object (a mapping), not %s", describe(config))
	}
	if len(config.Content) > 0 {
		l.config = config
	}
	return nil
}

func (l *ResourceList) configTree() (*yaml.Node, error) {
	const name = "functionConfig"
	switch {
	case l.root != nil:
		return Value(l.root, name), nil
	case l.json != nil:
		member := l.json.member(name)
		if member == nil {
			return nil, nil
		}
		return jsonTree(l.src[member.value:member.end])
	}
	field := l.layout.field(name)
	if field == nil {
		return nil, nil
	}
	root, err := parseOne(l.src[field.start:field.next])
	if err != nil {
		return nil, err
	}
	return Value(root, name), nil
}
