package krm

import (
	"bytes"
	"slices"
)

// writeBlock cuts the changes into the bytes of a block-style list.
func (l *ResourceList) writeBlock(p plan) ([]byte, error) {
	patches, err := l.itemPatches(p)
	if err != nil {
		return nil, err
	}
	added, err := l.addPatches(p)
	if err != nil {
		return nil, err
	}
	patches = append(append(patches, added...), l.resultPatches()...)
	if len(patches) == 0 {
		return l.src, nil
	}
	careful := l.closeLastLine(patches) || l.root != nil || slices.ContainsFunc(patches, mayKeep)
	text := applyPatches(l.src, patches)
	if careful && !l.confirms(text) {
		return l.writeTree()
	}
	return text, nil
}

// closeLastLine starts a new line where something is put behind a last line without an end. It tells whether the last
// line is touched: then a block scalar that was open may have changed.
func (l *ResourceList) closeLastLine(patches []patch) bool {
	if bytes.HasSuffix(l.src, []byte("\n")) {
		return false
	}
	touched := false
	for n := range patches {
		if patches[n].to < len(l.src) {
			continue
		}
		if !touched && patches[n].from == len(l.src) {
			patches[n].text = l.eol() + patches[n].text
		}
		touched = true
	}
	return touched
}

// mayKeep tells whether a text has a block scalar that may take in blank lines that follow.
func mayKeep(p patch) bool {
	for n := 0; n+2 < len(p.text); n++ {
		if c := p.text[n]; (c == '|' || c == '>') && (p.text[n+1] == '+' || p.text[n+2] == '+') {
			return true
		}
	}
	return false
}

func (l *ResourceList) itemPatches(p plan) ([]patch, error) {
	var patches []patch
	for n, item := range l.read {
		switch now := p.kept[n]; {
		case now == nil:
			patches = append(patches, patch{l.headOf(n), item.span.end, ""})
		case now == item && len(item.edits) == 0:
		default:
			text, err := l.textOf(now, item)
			if err != nil {
				return nil, err
			}
			if !bytes.Equal(text, l.src[item.span.start:item.span.end]) {
				patches = append(patches, patch{item.span.start, item.span.end, string(text)})
			}
		}
	}
	return patches, nil
}

// textOf returns what stands in the place of the item old: itself with its edits, or what replaces it.
func (l *ResourceList) textOf(now, old *Item) ([]byte, error) {
	if now == old {
		return now.blockText()
	}
	text, err := now.Bytes()
	if err != nil {
		return nil, err
	}
	if before, err := old.Bytes(); err == nil && len(old.edits) == 0 && bytes.Equal(before, text) {
		return old.blockText()
	}
	return indentItem(nil, text, l.layout.column, l.eol()), nil
}

// headOf returns where an item starts with the comments that stand directly above it. Deeper ones belong to the item
// before.
func (l *ResourceList) headOf(n int) int {
	start := l.read[n].span.start
	floor := l.layout.items.start
	if n > 0 {
		floor = l.read[n-1].span.end
	}
	for start > floor {
		above := bytes.LastIndexByte(l.src[:start-1], '\n') + 1
		line := l.src[above:start]
		at := indentation(line)
		if above < floor || at > l.layout.column || line[at] != '#' {
			break
		}
		start = above
	}
	return start
}
