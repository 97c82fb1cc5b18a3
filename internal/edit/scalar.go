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
	// Block tells that it is a literal or a folded one, and Style the quotes of another one.
	Block bool
	Style yaml.Style

	runs []run
}

// run says that from value on the bytes of a value are written from source on, one by one.
type run struct{ value, source int }

// Scalar returns how the value of a scalar is written. It is false where the text does not say that value: then the
// node is not of this text, or it is written in a way that is not followed.
func (t *Text) Scalar(node *yaml.Node, value string) (*Scalar, bool) {
	at, ok := t.Offset(node.Line, node.Column)
	if !ok || node.Kind != yaml.ScalarNode {
		return nil, false
	}
	if at = behindProperties(t.bytes, at); at == len(t.bytes) {
		return nil, false
	}
	w := &walker{src: t.bytes, at: at, value: value}
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

// behindProperties passes an anchor and a tag that stand in front of a value in its line.
func behindProperties(src []byte, at int) int {
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
// Without a column, 0, it is where the line's text begins. What is behind the end of a line or of the value is its end.
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
