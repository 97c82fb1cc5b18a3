package scan

import "bytes"

// preamble passes the comments in front of the document and its marker.
func (s *scanner) preamble() bool {
	marked := false
	for {
		before := s.lines
		line, ok := s.next()
		switch {
		case !ok:
			return false
		case isBlank(line):
		case isMark(line, "---") && !marked && ends(line, 3):
			marked = true
		default:
			s.lines = before
			return true
		}
	}
}

// fields passes the top-level fields. The next line is not blank.
func (s *scanner) fields(head *header) bool {
	layout := s.layout
	for s.pos < len(s.src) {
		name, colon, ok := s.key()
		if !ok || len(layout.Fields) == maxFields || layout.Field(name) != nil {
			return false
		}
		layout.Fields = append(layout.Fields, Field{Name: name, Start: s.pos, Value: s.pos + colon + 1})
		field := &layout.Fields[len(layout.Fields)-1]
		if name == "items" {
			ok = s.items(field)
		} else {
			ok = s.plainField(field, head)
		}
		if !ok || !s.rest() {
			return false
		}
		field.Next = s.pos
		layout.End = field.End
		if s.ended {
			break
		}
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
	if !ok || colon < 1 {
		return "", 0, false
	}
	for _, c := range key {
		if c != '-' && (!isLetter(c) || c == '/' || c == '.') {
			return "", 0, false
		}
	}
	return string(key), colon, true
}

func (s *scanner) plainField(field *Field, head *header) bool {
	s.stop, s.dashes, s.header = 0, true, head
	ok := s.entry()
	field.End = s.end
	return ok
}

// rest passes the text after a field: the document's end, if it is marked.
func (s *scanner) rest() bool {
	ahead := s.lines
	line, ok := ahead.next()
	if !ok || !isMark(line, "...") {
		return ok || line == nil
	}
	if !ends(line, 3) {
		return false
	}
	s.ended = true
	for {
		if line, ok = ahead.next(); !ok || !isBlank(line) {
			return line == nil
		}
	}
}

// contentEnd returns the end of the content in the bytes of an element at column. Comments that are not deeper do not
// belong to it; blank lines may, as part of a block scalar.
func contentEnd(text []byte, column int) int {
	reader := lines{src: text}
	end, commented := 0, false
	for {
		line, ok := reader.next()
		if !ok {
			return end
		}
		at := Indentation(line)
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

// isEmptyList reports whether the value of `items` is an empty list or null in one line.
func isEmptyList(value []byte) bool {
	for _, word := range []string{"[]", "null", "~"} {
		if rest, ok := bytes.CutPrefix(bytes.TrimLeft(value, " "), []byte(word)); ok && ends(rest, 0) &&
			(len(rest) == 0 || rest[0] == ' ') {
			return value[0] == ' '
		}
	}
	return false
}
