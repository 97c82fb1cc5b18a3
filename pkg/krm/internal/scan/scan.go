// Package scan finds the items of a block-style ResourceList in its bytes, with their kinds and names, without parsing
// them.
//
// It knows the plain forms of YAML, on which it agrees with a parser in every case, and gives up on all others: on one
// item, which then needs to be parsed, or on the whole list.
//
//	layout, err := scan.List(text, 1000)
//	for _, item := range layout.Items {
//		fmt.Println(item.Kind, string(text[item.Start:item.End]))
//	}
package scan

import (
	"bytes"
	"errors"
)

// Reasons why a list is not laid out.
var (
	ErrNotPlain = errors.New("the list must be parsed: it is not written in a plain block style")
	ErrTooMany  = errors.New("the list has too many items")
)

// ByteOrderMark may precede a document.
const ByteOrderMark = "\ufeff"

// maxFields is the highest number of top-level fields of a list.
const maxFields = 64

// Layout is the positions of a list's parts. All offsets are bytes from the start of the text; lines count from 1.
type Layout struct {
	// Header is the list's own. Its name is not read.
	Header
	// Fields are the top-level fields in order.
	Fields []Field
	Items  []Item
	// LineEnd is "\n" or "\r\n".
	LineEnd string
	// Column is the indentation of the items' dashes.
	Column int
	// End is the end of the document's content: further fields go here.
	End int
}

// Field is one top-level field.
type Field struct {
	Name  string
	Start int // of the key's line
	Value int // after the key's colon
	End   int // of the content, without the blank lines and comments that follow
	Next  int // start of the next field
}

// Item is one element of the field `items`.
type Item struct {
	Header
	Line  int // of the dash
	Start int // of the dash's line
	End   int // of the content
	Next  int // start of the next item or field
	// NeedsParse reports that only a parser can read the item: the bytes up to Next are the item if and only if a
	// parser reads them as one element that is a mapping.
	NeedsParse bool
}

// Header is the identity of an object, read without parsing it.
type Header struct {
	APIVersion, Kind, Name, Namespace string
	// Known reports that the object has no field whose text here is empty. If it is false, nothing is known.
	Known bool
	// Repeats reports that one of the fields, or metadata, is given twice or may come from a merge key.
	Repeats bool
}

// Field returns the top-level field of that name, or nil.
func (l *Layout) Field(name string) *Field {
	for i := range l.Fields {
		if l.Fields[i].Name == name {
			return &l.Fields[i]
		}
	}
	return nil
}

// List lays out a list of at most limit items. The error is ErrNotPlain or ErrTooMany.
func List(src []byte, limit int) (*Layout, error) {
	s := &scanner{layout: &Layout{LineEnd: LineEnd(src)}, names: map[string]string{}, limit: limit}
	s.src = src
	if bytes.HasPrefix(src, []byte(ByteOrderMark)) {
		s.pos = len(ByteOrderMark)
	}
	var head header
	head.reset(0)
	switch {
	case s.preamble() && s.fields(&head) && !head.unsure:
		s.layout.Header = s.known(&head)
		return s.layout, nil
	case s.tooMany:
		return nil, ErrTooMany
	default:
		return nil, ErrNotPlain
	}
}

// Object reads the header of one object in block style, without indentation or document marker. If it returns true, the
// text is valid YAML; false means that it gave up.
func Object(src []byte) (Header, bool) {
	s := &scanner{names: map[string]string{}}
	s.src, s.stop, s.header = src, -1, &s.seen
	s.seen.reset(0)
	if !s.entry() || !s.seen.object {
		return Header{}, false
	}
	return s.known(&s.seen), true
}

// LineEnd returns the line ending of a text.
func LineEnd(src []byte) string {
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// scanner finds the parts of a list.
type scanner struct {
	blockScanner
	layout  *Layout
	limit   int
	tooMany bool
	names   map[string]string // shares equal strings
	seen    header            // of the current item
	ended   bool              // the document's end was marked
}

// known returns a header as strings.
func (s *scanner) known(seen *header) Header {
	if seen.unsure {
		return Header{}
	}
	return Header{
		APIVersion: s.shared(seen.value[headerVersion]), Kind: s.shared(seen.value[headerKind]),
		Name: string(seen.value[headerName]), Namespace: s.shared(seen.value[headerNamespace]), Known: true,
		Repeats: seen.twice,
	}
}

func (s *scanner) shared(text []byte) string {
	name, ok := s.names[string(text)]
	if !ok {
		name = string(text)
		s.names[name] = name
	}
	return name
}
