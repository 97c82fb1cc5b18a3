package krm

import "bytes"

const byteOrderMark = "\ufeff"

// mostFields is how many top-level fields a list may have before the scanner leaves it to the parser.
const mostFields = 64

// scanner finds the parts of a block-style ResourceList in its bytes.
type scanner struct {
	entry
	list  *ResourceList
	names map[string]string
	odd   []*Item // that the scanner leaves to the parser, one by one
	seen  peek    // of the current item
	spare []Item
	over  bool // the document's end was marked
}

// scan lays out the list, and returns false where it is not written in a way that the scanner is sure of.
func (l *ResourceList) scan() bool {
	s := &scanner{list: l, names: map[string]string{}}
	s.src = l.src
	if hasByteOrderMark(l.src) {
		s.pos = len(byteOrderMark)
	}
	l.layout = &layout{eol: lineEnd(l.src)}
	var head peek
	head.reset(0)
	if !s.header() || !s.fields(&head) || head.unsure || !parseOdd(s.odd) {
		return false
	}
	l.version, l.kind = string(head.value[peekVersion]), string(head.value[peekKind])
	return true
}

func hasByteOrderMark(src []byte) bool { return bytes.HasPrefix(src, []byte(byteOrderMark)) }

// lineEnd returns how the lines of a text end.
func lineEnd(src []byte) string {
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// header passes the comments in front of the document and its marker.
func (s *scanner) header() bool {
	marked := false
	for {
		before := s.lines
		line, ok := s.next()
		switch {
		case !ok:
			return false
		case idle(line):
		case isMark(line, "---") && !marked && ends(line, 3):
			marked = true
		default:
			s.lines = before
			return true
		}
	}
}

// fields passes the top-level fields. The next line is not idle.
func (s *scanner) fields(head *peek) bool {
	layout := s.list.layout
	for s.pos < len(s.src) {
		name, colon, ok := s.key()
		if !ok || len(layout.fields) == mostFields || layout.field(name) != nil {
			return false
		}
		layout.fields = append(layout.fields, field{name: name, line: s.num + 1, start: s.pos, value: s.pos + colon + 1})
		field := &layout.fields[len(layout.fields)-1]
		if name == "items" {
			ok = s.items(field)
		} else {
			ok = s.plainField(field, head)
		}
		if !ok || !s.rest() {
			return false
		}
		field.next = s.pos
		layout.end = field.end
		if s.over {
			break
		}
	}
	if f := layout.field("items"); f != nil {
		layout.items = f
	}
	return true
}

// key looks at the key of the next line.
func (s *scanner) key() (name string, colon int, ok bool) {
	ahead := s.lines
	line, ok := ahead.next()
	if !ok || line[0] == ' ' {
		return "", 0, false
	}
	key, colon, ok := cutKey(line, 0)
	if !ok || colon < 0 || !plainKey(string(key)) {
		return "", 0, false
	}
	return string(key), colon, true
}

func (s *scanner) plainField(field *field, head *peek) bool {
	s.stop, s.peek = 0, head
	ok := s.recognise()
	field.end = s.end
	return ok
}

// rest passes what follows a field: the document's end where it is marked.
func (s *scanner) rest() bool {
	ahead := s.lines
	line, ok := ahead.next()
	if !ok || !isMark(line, "...") {
		return ok || line == nil
	}
	if !ends(line, 3) {
		return false
	}
	s.over = true
	for {
		if line, ok = ahead.next(); !ok || !idle(line) {
			return line == nil
		}
	}
}
