package digest

import (
	"slices"
	"unicode/utf16"

	"go.yaml.in/yaml/v3"
)

// member is one name and value of an object.
type member struct {
	key   string
	value *yaml.Node
}

func (w *writer) mapping(node *yaml.Node) error {
	members := members{seen: make(map[string]bool, len(node.Content)/2)}
	if err := w.collect(node, &members, 0); err != nil {
		return err
	}
	slices.SortFunc(members.list, func(a, b member) int { return compareUTF16(a.key, b.key) })
	w.raw("{")
	separator := ""
	for _, m := range members.list {
		if isAbsent(m.value) {
			continue
		}
		w.raw(separator)
		w.quote(m.key)
		w.raw(":")
		if err := w.below(step{key: m.key}, m.value); err != nil {
			return err
		}
		separator = ","
	}
	w.raw("}")
	return nil
}

// members are those of an object: of a mapping and of the mappings that are merged into it.
type members struct {
	list []member
	seen map[string]bool
}

// collect adds the members of a mapping that are not yet there, its own before those it merges.
func (w *writer) collect(mapping *yaml.Node, to *members, depth int) error {
	if depth > MaxDepth {
		return w.errorf("must not merge mappings deeper than %d levels", MaxDepth)
	}
	var merged *yaml.Node
	own := make(map[string]bool, len(mapping.Content)/2)
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key, value := dereference(mapping.Content[i]), mapping.Content[i+1]
		if err := w.checkKey(key, own); err != nil {
			return err
		}
		own[key.Value] = true
		switch {
		case key.ShortTag() == "!!merge":
			merged = value
		case !to.seen[key.Value]:
			to.seen[key.Value] = true
			to.list = append(to.list, member{key: key.Value, value: value})
		}
	}
	if merged == nil {
		return nil
	}
	return w.merge(merged, to, depth+1)
}

func (w *writer) checkKey(key *yaml.Node, own map[string]bool) error {
	tag := key.ShortTag()
	switch {
	case key.Kind != yaml.ScalarNode || tag != "!!str" && tag != "!!merge":
		return w.errorf("key %.40q must be a string: quote it", key.Value)
	case own[key.Value]:
		return w.errorf("key %.40q must not be given twice", key.Value)
	}
	return w.spend(len(key.Value))
}

// merge adds the members of the mapping, or of the mappings of the list, that a merge key names.
func (w *writer) merge(source *yaml.Node, to *members, depth int) error {
	sources := []*yaml.Node{source}
	if list := dereference(source); list.Kind == yaml.SequenceNode {
		sources = list.Content
	}
	for _, source := range sources {
		mapping := dereference(source)
		if mapping.Kind != yaml.MappingNode {
			return w.errorf(`key "<<" must name a mapping or a list of mappings`)
		}
		if err := w.collect(mapping, to, depth); err != nil {
			return err
		}
	}
	return nil
}

// compareUTF16 orders names as RFC 8785 (3.2.3) asks: by UTF-16 code units.
func compareUTF16(a, b string) int {
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}
