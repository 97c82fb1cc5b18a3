package krm

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// WriteTo writes the list with its edits and results, in one piece. A list that nobody changed is written as it came.
//
// Results are what this run found (the specification has them as output only): `results` that came in are replaced, and
// dropped where there is nothing to report, so that nobody takes an older finding for ours.
func (l *ResourceList) WriteTo(w io.Writer) (int64, error) {
	text, err := l.render()
	if err != nil {
		return 0, err
	}
	n, err := w.Write(text)
	return int64(n), err
}

func (l *ResourceList) render() ([]byte, error) {
	plan := l.plan()
	switch {
	case l.json != nil:
		return l.writeJSON(plan)
	case l.layout != nil:
		return l.writeBlock(plan)
	case l.root != nil && !l.changed(plan):
		return l.src, nil
	default:
		return l.writeTree()
	}
}

func (l *ResourceList) eol() string {
	if l.layout == nil {
		return "\n"
	}
	return l.layout.eol
}

// plan says what becomes of each item that came in, nil where it is gone, and which are added at the end.
type plan struct{ kept, added []*Item }

func (l *ResourceList) plan() plan {
	p := plan{kept: make([]*Item, len(l.read))}
	last := 0
	for _, item := range l.items {
		if slot := l.slotOf(item); slot > last && len(p.added) == 0 {
			p.kept[slot-1], last = item, slot
			continue
		}
		p.added = append(p.added, item)
	}
	return p
}

// slotOf returns the place of an item, or of the one that it replaces, among those that came in, from 1.
func (l *ResourceList) slotOf(item *Item) int {
	for item.replaced != nil {
		item = item.replaced
	}
	if item.list != l {
		return 0
	}
	return item.slot
}

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

// closeLastLine starts a new line where something is put behind a last line without an end.
func (l *ResourceList) closeLastLine(patches []patch) bool {
	if strings.HasSuffix(string(l.src[max(len(l.src)-1, 0):]), "\n") {
		return false
	}
	closed := false
	for n := range patches {
		if patches[n].to == len(l.src) && !closed {
			closed = true
			if patches[n].from == len(l.src) {
				patches[n].text = l.eol() + patches[n].text
			}
		}
	}
	return true
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

// headOf returns where an item starts with the comments that stand directly above it.
func (l *ResourceList) headOf(n int) int {
	start := l.read[n].span.start
	floor := l.layout.items.start
	if n > 0 {
		floor = l.read[n-1].span.end
	}
	for start > floor {
		above := bytes.LastIndexByte(l.src[:start-1], '\n') + 1
		line := bytes.TrimLeft(l.src[above:start], " ")
		if above < floor || len(line) == 0 || line[0] != '#' {
			break
		}
		start = above
	}
	return start
}

// addPatches puts the added items behind the last one.
func (l *ResourceList) addPatches(p plan) ([]patch, error) {
	field := l.layout.items
	if len(p.added) == 0 {
		if len(l.read) > 0 && len(l.items) == 0 {
			return []patch{{field.value, field.value, " []"}}, nil
		}
		return nil, nil
	}
	var text []byte
	for _, item := range p.added {
		object, err := item.Bytes()
		if err != nil {
			return nil, err
		}
		text = indentItem(text, object, l.layout.column, l.eol())
	}
	if len(l.read) > 0 {
		end := l.read[len(l.read)-1].span.end
		return []patch{{end, end, string(text)}}, nil
	}
	if field == nil {
		return []patch{{l.layout.end, l.layout.end, "items:" + l.eol() + string(text)}}, nil
	}
	return append(l.emptyPatches(field), patch{field.end, field.end, string(text)}), nil
}

// emptyPatches takes away the `[]` or null that is the value of an empty `items`.
func (l *ResourceList) emptyPatches(field *field) []patch {
	line := l.src[field.value:field.end]
	from := skipSpaces(line, 0)
	if line[from] == '#' || line[from] == '\r' || line[from] == '\n' {
		return nil
	}
	to := from
	for to < len(line) && bytes.IndexByte([]byte(" \r\n"), line[to]) < 0 {
		to++
	}
	return []patch{{field.value, field.value + to, ""}}
}

// resultPatches puts the results in the place of those that came in.
func (l *ResourceList) resultPatches() []patch {
	text := ""
	if results := l.Results(); len(results) > 0 {
		text = strings.ReplaceAll(results.yaml(), "\n", l.eol())
	}
	old := l.layout.field("results")
	switch {
	case old == nil && text == "":
		return nil
	case old == nil:
		return []patch{{l.layout.end, l.layout.end, text}}
	case text == "" && isNothingText(l.src[old.value:old.end]):
		return nil
	default:
		return []patch{{old.start, old.end, text}}
	}
}

// isNothingText tells whether the value of a field is empty.
func isNothingText(value []byte) bool {
	switch strings.TrimSpace(string(value)) {
	case "", "[]", "null", "~":
		return true
	}
	return false
}

// confirms tells whether text holds the items as they are meant to be.
func (l *ResourceList) confirms(text []byte) bool {
	root, err := parseOne(text)
	if err != nil {
		return false
	}
	items := Value(root, "items")
	if items == nil || len(items.Content) != len(l.items) {
		return items != nil && len(items.Content)+len(l.items) == 0
	}
	left := mostNodes
	for n, item := range l.items {
		want := item.Node()
		if len(item.changes()) > 0 {
			if want, err = item.editedTree(); err != nil {
				return false
			}
		}
		if !sameWithin(items.Content[n], want, &left) {
			return false
		}
	}
	return true
}

// changed tells whether a list that is known as a tree is to be written differently.
func (l *ResourceList) changed(p plan) bool {
	if len(p.added) > 0 || len(l.results) > 0 {
		return true
	}
	for n, item := range p.kept {
		if item != l.read[n] || len(item.changes()) > 0 {
			return true
		}
	}
	old := Value(l.root, "results")
	return old != nil && old.Tag != "!!null" && len(old.Content) > 0
}

// mostPrinted is how many bytes a list may have that is printed anew, its aliases replaced by what they stand for.
const mostPrinted = 8 * FallbackLimit

// writeTree prints the list anew.
func (l *ResourceList) writeTree() ([]byte, error) {
	var out bytes.Buffer
	if err := l.writeHead(&out); err != nil {
		return nil, err
	}
	if len(l.items) == 0 {
		out.WriteString("items: []\n")
	} else {
		out.WriteString("items:\n")
	}
	for _, item := range l.items {
		object, err := item.Bytes()
		if err != nil {
			return nil, err
		}
		out.Write(indentItem(nil, object, 0, "\n"))
		if out.Len() > mostPrinted {
			return nil, errBomb
		}
	}
	if results := l.Results(); len(results) > 0 {
		out.WriteString(results.yaml())
	}
	return withLineEnds(out.Bytes(), l.eol()), nil
}

// writeHead prints the fields that are neither items nor results.
func (l *ResourceList) writeHead(out *bytes.Buffer) error {
	root := l.root
	if root == nil && l.layout != nil {
		var err error
		if root, err = parseOne(l.src); err != nil {
			return err
		}
	}
	if root == nil {
		out.WriteString("apiVersion: " + listGroup + "v1\nkind: " + listKind + "\n")
		return nil
	}
	for n := 0; n+1 < len(root.Content); n += 2 {
		key := root.Content[n]
		if key.Value == "items" || key.Value == "results" {
			continue
		}
		field, err := expand(&yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: root.Content[n : n+2]})
		if err != nil {
			return err
		}
		text, err := encode(field)
		if err != nil {
			return err
		}
		out.Write(text)
	}
	return nil
}
