package krm

import "go.yaml.in/yaml/v3"

// annotate adds annotations that do not exist.
func (c *cutter) annotate(root *yaml.Node, added []edit) bool {
	if len(added) == 0 {
		return true
	}
	fields := make([]string, len(added))
	for n, one := range added {
		key := quote(one.key, 0)
		if len(key) > longestKey {
			return false
		}
		fields[n] = key + ": " + quote(one.value, 0)
	}
	meta := Value(root, "metadata")
	if meta == nil || isNothing(meta) {
		return c.open(root, "metadata", append([]string{"annotations:"}, indented(fields, 2)...), 2)
	}
	if hasProperties(root, "metadata") || meta.Kind != yaml.MappingNode {
		return false
	}
	step := meta.Column - root.Column
	if step < 1 {
		step = 2
	}
	annotations := Value(meta, "annotations")
	switch {
	case annotations == nil || isNothing(annotations):
		return c.open(meta, "annotations", fields, step)
	case hasProperties(meta, "annotations") || annotations.Kind != yaml.MappingNode:
		return false
	case annotations.Style&yaml.FlowStyle != 0:
		return c.addToFlow(annotations, fields)
	}
	at, ok := c.behind(annotations, annotations.Column-1)
	if ok {
		c.insert(at, indented(fields, annotations.Column-1)...)
	}
	return ok
}

// hasProperties tells whether a field's value has an anchor, a tag, or is an alias.
func hasProperties(mapping *yaml.Node, name string) bool {
	value := mapping.Content[keyIndex(mapping, name)+1]
	return value.Kind == yaml.AliasNode || value.Anchor != "" || value.Style&yaml.TaggedStyle != 0
}

// isNothing tells whether a value is null or an empty mapping.
func isNothing(node *yaml.Node) bool {
	return node.Tag == "!!null" || node.Kind == yaml.MappingNode && len(node.Content) == 0
}

func indented(lines []string, columns int) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = spaces(columns) + line
	}
	return out
}

// open gives mapping the field name with lines below it, where it has none or one that holds nothing.
func (c *cutter) open(mapping *yaml.Node, name string, lines []string, step int) bool {
	column := mapping.Column - 1
	if mapping.Style&yaml.FlowStyle != 0 {
		return false
	}
	lines = indented(lines, column+step)
	if n := keyIndex(mapping, name); n >= 0 {
		return c.fill(mapping, n, lines)
	}
	at, ok := c.behind(mapping.Content[placeFor(mapping, name)-1], column)
	if ok {
		c.insert(at, append([]string{spaces(column) + name + ":"}, lines...)...)
	}
	return ok
}

// fill puts lines below a field, in the place of the null or `{}` that is its value.
func (c *cutter) fill(mapping *yaml.Node, n int, lines []string) bool {
	value := mapping.Content[n+1]
	if hasProperties(mapping, mapping.Content[n].Value) || value.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return false
	}
	from, to, ok := c.extent(value, mapping.Column-1)
	if !ok || value.Line != mapping.Content[n].Line {
		return false
	}
	if from < to && from > 0 && c.src[from-1] == ' ' {
		from--
	}
	c.cut(from, to, "")
	c.insert(c.nextLine(to), lines...)
	return true
}

// addToFlow puts fields in front of the closing brace of a flow mapping that is not empty.
func (c *cutter) addToFlow(mapping *yaml.Node, fields []string) bool {
	_, to, ok := c.extent(mapping, 0)
	if !ok {
		return false
	}
	at := trimSpaces(c.src, to-1)
	for _, field := range fields {
		c.cut(at, at, ", "+field)
	}
	return true
}
