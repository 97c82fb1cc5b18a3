package krm

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// apply cuts edits into the object's bytes. It returns false where it is not sure how.
func (c *cutter) apply(root *yaml.Node, edits []edit) bool {
	var added []edit
	gone := 0
	for _, one := range edits {
		_, exists := one.path.Find(root)
		switch {
		case !exists:
			added = append(added, one)
		case one.gone:
			gone++
		case !c.set(root, one):
			return false
		}
	}
	return c.remove(root, edits, gone, len(added) > 0) && c.annotate(root, added) && c.consistent()
}

func (c *cutter) consistent() bool {
	slices.SortStableFunc(c.patches, func(a, b patch) int { return a.from - b.from })
	return !overlap(c.patches)
}

// set replaces a scalar that exists.
func (c *cutter) set(root *yaml.Node, one edit) bool {
	node, parent := c.raw(root, one.path)
	if node == nil || node.Kind != yaml.ScalarNode || node.Anchor != "" || node.Style&yaml.TaggedStyle != 0 {
		return false
	}
	from, to, ok := c.extent(node, parent.Column-1)
	if !ok {
		return false
	}
	if parent.Style&yaml.FlowStyle != 0 {
		c.careful = true
	}
	text := quote(one.value, node.Style)
	if from == to {
		text = " " + text
	}
	c.cut(from, to, text)
	return true
}

// raw returns the node at path and its parent, nil where an alias or an anchor is on the way.
func (c *cutter) raw(root *yaml.Node, path Path) (node, parent *yaml.Node) {
	node = root
	for rest := string(path); rest != ""; {
		key, index, after, _ := nextStep(rest)
		if node.Kind == yaml.AliasNode || node.Anchor != "" {
			return nil, nil
		}
		parent, rest = node, after
		if index >= 0 {
			node = node.Content[index]
			continue
		}
		node = node.Content[keyIndex(node, key)+1]
	}
	return node, parent
}

// remove takes annotations out, line by line, and `annotations` itself when none is left.
func (c *cutter) remove(root *yaml.Node, edits []edit, gone int, more bool) bool {
	if gone == 0 {
		return true
	}
	annotations, meta := c.raw(root, annotationsPath)
	if annotations == nil || annotations.Kind != yaml.MappingNode || annotations.Style&yaml.FlowStyle != 0 ||
		hasTwice(annotations, edits) {
		return false
	}
	if gone*2 == len(annotations.Content) {
		if more || len(meta.Content) == 2 || meta.Style&yaml.FlowStyle != 0 {
			return false
		}
		c.patches = nil // what else was cut was within annotations or is cut again
		return c.removeField(meta, "annotations") && c.setOthers(root, edits)
	}
	for _, one := range edits {
		if one.gone && !c.removeField(annotations, one.key) {
			return false
		}
	}
	return true
}

// hasTwice tells whether a mapping has a key twice that is to be removed.
func hasTwice(mapping *yaml.Node, edits []edit) bool {
	seen := map[string]bool{}
	for n := 0; n < len(mapping.Content); n += 2 {
		key := mapping.Content[n].Value
		if seen[key] && slices.ContainsFunc(edits, func(one edit) bool { return one.gone && one.key == key }) {
			return true
		}
		seen[key] = true
	}
	return false
}

// setOthers cuts the edits again that are not about annotations.
func (c *cutter) setOthers(root *yaml.Node, edits []edit) bool {
	for _, one := range edits {
		if !one.annotation && !c.set(root, one) {
			return false
		}
	}
	return true
}

func (c *cutter) removeField(mapping *yaml.Node, name string) bool {
	n := keyIndex(mapping, name)
	start, alone := c.lineOf(mapping.Content[n])
	end, ok := c.behind(mapping.Content[n+1], mapping.Column-1)
	c.cut(start, end, "")
	return alone && ok
}
