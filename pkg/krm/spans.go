package krm

import "go.yaml.in/yaml/v3"

// locate lays out a list that only the parser understood, from the lines of its nodes: anchors that cross items, for
// one, need not cost the bytes of all others. Where the parts do not stand on lines of their own there is no layout.
// What is cut into a list that was laid out like this is always checked.
func (l *ResourceList) locate() {
	starts, ok := cleanLines(l.src)
	if !ok || l.root.Style&yaml.FlowStyle != 0 || l.root.Anchor != "" {
		return
	}
	layout := &layout{eol: lineEnd(l.src)}
	for n := 0; n+1 < len(l.root.Content); n += 2 {
		key, next := l.root.Content[n], len(l.src)
		if n+2 < len(l.root.Content) {
			next = starts[l.root.Content[n+2].Line-1]
		}
		start := starts[key.Line-1]
		value, ok := keyOf(l.src[start:next], key)
		if !ok {
			return
		}
		layout.fields = append(layout.fields, field{name: key.Value, line: key.Line, start: start, value: start + value,
			end: start + contentEnd(l.src[start:next], 0), next: next})
	}
	layout.end = layout.fields[len(layout.fields)-1].end
	layout.items = layout.field("items")
	if l.locateItems(layout, starts) {
		l.layout = layout
	}
}

// cleanLines returns where the lines start of a text that every reader cuts into the same lines, and whose end no
// marker tells.
func cleanLines(src []byte) (starts []int, ok bool) {
	reader := lines{src: src}
	if hasByteOrderMark(src) {
		reader.pos = len(byteOrderMark)
	}
	for begun := false; ; {
		line, ok := reader.next()
		if !ok {
			return starts, line == nil
		}
		if begun && isAnyMark(line) {
			return nil, false
		}
		begun = begun || !idle(line)
		starts = append(starts, reader.at)
	}
}

// keyOf returns the place behind a key's colon in the bytes of its field.
func keyOf(text []byte, key *yaml.Node) (int, bool) {
	reader := lines{src: text}
	line, _ := reader.next()
	if len(line) == 0 || key.Column != 1 || key.Anchor != "" {
		return 0, false
	}
	name, colon, ok := cutKey(line, 0)
	return colon + 1, ok && string(name) == key.Value
}

// contentEnd returns the end of the content in the bytes of an entry at column. Comments that are not deeper do not
// belong to it; blank lines may, as part of a block scalar.
func contentEnd(text []byte, column int) int {
	reader := lines{src: text}
	end, commented := 0, false
	for {
		line, ok := reader.next()
		if !ok {
			return end
		}
		at := indentation(line)
		switch {
		case at < len(line) && line[at] == '#' && at <= column:
			commented = true
		case at == len(line) && commented:
		default:
			commented = false
			end = reader.pos
		}
	}
}

// locateItems finds the items' bytes.
func (l *ResourceList) locateItems(layout *layout, starts []int) bool {
	if layout.items == nil {
		return true
	}
	items := Value(l.root, "items")
	if items.Kind != yaml.SequenceNode || len(items.Content) == 0 {
		layout.items.empty = true
		return isNothingText(l.src[layout.items.value:layout.items.end])
	}
	if items.Style&yaml.FlowStyle != 0 || items.Anchor != "" || items.Style&yaml.TaggedStyle != 0 {
		return false
	}
	layout.column = items.Column - 1
	floor := layout.items.line
	for n, node := range items.Content {
		line, ok := dashLine(l.src, starts, node.Line, floor, layout.column)
		if !ok {
			return false
		}
		l.items[n].span = span{start: starts[line-1], line: line}
		floor = line
	}
	for n, item := range l.items {
		item.span.next = layout.items.next
		if n+1 < len(l.items) {
			item.span.next = l.items[n+1].span.start
		}
		item.span.end = item.span.start + contentEnd(l.src[item.span.start:item.span.next], layout.column)
		item.above = item.span.line - 1
	}
	layout.items.end = l.items[len(l.items)-1].span.end
	return true
}

// dashLine returns the line of an item's dash: the item's own or, over comments, one above it and below floor.
func dashLine(src []byte, starts []int, line, floor, column int) (int, bool) {
	for ; line > floor; line-- {
		reader := lines{src: src, pos: starts[line-1]}
		text, _ := reader.next()
		at := indentation(text)
		if at == column && at < len(text) && isDash(text, at) {
			return line, true
		}
	}
	return 0, false
}
