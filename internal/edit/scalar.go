package edit

import (
	"sort"

	"go.yaml.in/yaml/v3"
)

// Scalar is a scalar as it is written.
type Scalar struct {
	// Start and End bound it in the text in bytes, quotes included, an anchor or a tag not. A block scalar starts at its
	// indicator.
	Start, End int
	// Block reports whether it is a literal or a folded one; Style has the quotes of others.
	Block bool
	Style yaml.Style

	runs []run
}

// run is a part of a value that is written byte for byte: the byte at value is written at source, and so on.
type run struct{ value, source int }

// Scalar returns how the value of a scalar is written. It is false if the text has another value there: then the node is
// not of this text, or it is written in a way that is not supported.
func (t *Text) Scalar(node *yaml.Node, value string) (*Scalar, bool) {
	at, ok := t.Offset(node.Line, node.Column)
	if !ok || node.Kind != yaml.ScalarNode {
		return nil, false
	}
	if at = afterProperties(t.bytes, at); at == len(t.bytes) {
		return nil, false
	}
	w := &scalarReader{src: t.bytes, at: at, value: value}
	s := &Scalar{Start: at}
	switch first := t.bytes[at]; first {
	case '|', '>':
		s.Block = true
		ok = w.block(first == '>')
	case '"':
		s.Style = yaml.DoubleQuotedStyle
		ok = w.quoted(first)
	case '\'':
		s.Style = yaml.SingleQuotedStyle
		ok = w.quoted(first)
	default:
		ok = value != "" && w.plain()
	}
	s.End, s.runs = w.at, w.runs
	return s, ok
}

// Offset returns where in the text the byte of the value is written.
func (s *Scalar) Offset(value int) int {
	n := sort.Search(len(s.runs), func(i int) bool { return s.runs[i].value > value })
	if n == 0 {
		return s.Start
	}
	return min(s.runs[n-1].source+value-s.runs[n-1].value, s.End)
}

// afterProperties skips an anchor and a tag in front of a value in its line.
func afterProperties(src []byte, at int) int {
	for at < len(src) && (src[at] == '&' || src[at] == '!') {
		for at < len(src) && !isBlank(src[at]) && breakSize(src[at:]) == 0 {
			at++
		}
		at += blanks(src[at:])
	}
	return at
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// blanks counts the blanks that a text begins with.
func blanks(text []byte) int {
	for at, c := range text {
		if !isBlank(c) {
			return at
		}
	}
	return len(text)
}

// ByteAt returns the byte of a value at a line and a column within it, both counted from 1, columns in characters.
// Column 0 is where the line's text begins. A place after the end of a line or of the value is its end.
func ByteAt(value string, line, column int) int {
	at := 0
	for ; line > 1; line-- {
		size := lineLength([]byte(value[at:]))
		end := breakSize([]byte(value[at+size:]))
		if end == 0 {
			return len(value)
		}
		at += size + end
	}
	rest := value[at:]
	rest = rest[:lineLength([]byte(rest))]
	if column < 1 {
		return at + blanks([]byte(rest))
	}
	for offset := range rest {
		if column--; column < 1 {
			return at + offset
		}
	}
	return at + len(rest)
}

// scalarReader reads a scalar's bytes, and compares what they mean with the value that the parser returned.
type scalarReader struct {
	src   []byte
	at    int // in src
	value string
	done  int // of value
	runs  []run
}

// take reads bytes that mean themselves. It is false if the value has other ones.
func (w *scalarReader) take(size int) bool {
	return w.give(string(w.src[w.at:w.at+size]), w.at, size)
}

// give reads size bytes that mean text, which is written at a place. It is false if the value has another text.
func (w *scalarReader) give(text string, place, size int) bool {
	if len(w.value)-w.done < len(text) || w.value[w.done:w.done+len(text)] != text {
		return false
	}
	if text != "" {
		w.mark(place)
	}
	w.done += len(text)
	w.at += size
	return true
}

// mark records where the next byte of the value is written.
func (w *scalarReader) mark(place int) {
	if n := len(w.runs); n > 0 && w.runs[n-1].source-w.runs[n-1].value == place-w.done {
		return
	}
	w.runs = append(w.runs, run{value: w.done, source: place})
}

// breaks reads line breaks at the places. Folded, a single one means a space, and the first of several means nothing.
func (w *scalarReader) breaks(places []int, folded bool) bool {
	if folded && len(places) == 1 {
		return w.give(" ", places[0], 0)
	}
	if folded && len(places) > 0 {
		places = places[1:]
	}
	for _, place := range places {
		if !w.give("\n", place, 0) {
			return false
		}
	}
	return true
}
