package krm

import (
	"bufio"
	"bytes"
	"io"

	"go.yaml.in/yaml/v3"
)

// WriteTo writes the list with its changes and results. An unchanged list keeps its bytes, unless it lacks the field
// `items`, which the output must have. Nothing is written if an item cannot be written.
//
// Results of the input are kept, before the reported ones, without duplicates: a pipeline of functions loses no
// findings.
func (l *ResourceList) WriteTo(w io.Writer) (int64, error) {
	out := &output{src: l.src, lineEnd: "\n"}
	p := l.plan()
	results, added, err := l.allResults()
	switch {
	case err != nil || l.src != nil && p.unchanged && !added && l.hasItems():
	case l.isJSON:
		err = l.writeJSON(out, results)
	case l.layout != nil && bytes.HasSuffix(l.src, []byte("\n")):
		if !added {
			results = nil
		}
		err = l.writeBlock(out, p, results)
	default:
		err = l.writeWhole(out, results)
	}
	if err != nil {
		return 0, err
	}
	return out.writeTo(w)
}

// hasItems reports whether the input has the field `items`, and it is a list.
func (l *ResourceList) hasItems() bool {
	if l.layout == nil {
		items := Value(l.root, "items")
		return items != nil && items.Kind == yaml.SequenceNode
	}
	if len(l.read) > 0 {
		return true
	}
	field := l.layout.Field("items")
	return field != nil && bytes.HasPrefix(bytes.TrimSpace(l.src[field.Value:field.End]), []byte("["))
}

// plan is the output: which items of the input remain, and which are added.
type plan struct {
	kept      []*Item // by slot, nil if the item was removed
	added     []*Item // at the end
	unchanged bool
}

func (l *ResourceList) plan() plan {
	p := plan{kept: make([]*Item, len(l.read)), unchanged: len(l.items) == len(l.read)}
	last := 0
	for _, item := range l.items {
		p.unchanged = p.unchanged && item.isAsRead()
		if slot := l.slotOf(item); slot > last && len(p.added) == 0 {
			p.kept[slot-1], last = item, slot
			continue
		}
		p.added = append(p.added, item)
	}
	p.unchanged = p.unchanged && len(p.added) == 0
	return p
}

// slotOf returns the position of an item, or of the one that it replaces, in the input, from 1.
func (l *ResourceList) slotOf(item *Item) int {
	for item.replaced != nil {
		item = item.replaced
	}
	if item.list != l {
		return 0
	}
	return item.slot
}

// isAsRead reports whether an item is written as it was read.
func (i *Item) isAsRead() bool { return i.replaced == nil && !i.changed && i.err == nil }

// output collects the pieces to write: parts of the input, and others between them.
type output struct {
	src     []byte
	at      int // end of the written part of src
	column  int // of the dashes of elements
	lineEnd string
	pieces  []piece
}

// piece is a text, or an object to be written as an element of the list.
type piece struct {
	text    []byte
	element bool
}

// replace replaces src[from:to] with pieces. Calls are in the order of src.
func (o *output) replace(from, to int, pieces ...piece) {
	from, to = max(from, o.at), max(to, o.at)
	o.pieces = append(append(o.pieces, piece{text: o.src[o.at:from]}), pieces...)
	o.at = to
	switch last := len(pieces) - 1; {
	case last < 0 && from < to && o.src[to-1] == '\n', last >= 0 && mayKeepBlank(pieces[last].text):
		o.skipBlank()
	}
}

// skipBlank drops the following blank lines: they could become part of a block scalar before them.
func (o *output) skipBlank() {
	for line := range bytes.Lines(o.src[o.at:]) {
		if len(bytes.TrimSpace(line)) > 0 {
			break
		}
		o.at += len(line)
	}
}

// mayKeepBlank reports whether a text may end in a block scalar that includes blank lines at the end.
func mayKeepBlank(text []byte) bool {
	for at, c := range text {
		if c == '+' && bytes.ContainsAny(text[max(0, at-2):at], "|>") {
			return true
		}
	}
	return false
}

// addText adds a text with the list's line endings.
func (o *output) addText(text []byte) {
	o.pieces = append(o.pieces, piece{text: bytes.ReplaceAll(text, []byte("\n"), []byte(o.lineEnd))})
}

func (o *output) writeTo(w io.Writer) (written int64, err error) {
	buffered := bufio.NewWriterSize(w, 1<<16)
	var element []byte
	for _, p := range append(o.pieces, piece{text: o.src[o.at:]}) {
		text := p.text
		if p.element {
			element = appendElement(element[:0], text, o.column, o.lineEnd)
			text = element
		}
		n, err := buffered.Write(text)
		written += int64(n)
		if err != nil {
			return written, err
		}
	}
	return written, buffered.Flush()
}
