package krm

import (
	"bytes"
	"strings"
)

// items passes the field `items`.
func (s *scanner) items(field *field) bool {
	line, _ := s.next()
	field.end = s.pos
	if value := line[field.value-field.start:]; !ends(value, 0) {
		field.empty = true
		word, _, _ := strings.Cut(strings.TrimLeft(string(value), " "), " ")
		at := bytes.Index(value, []byte(word)) + len(word)
		return at > len(word) && (word == "[]" || word == "null" || word == "~") && ends(value, at) && s.skipIdle()
	}
	if !s.skipIdle() {
		return false
	}
	ahead := s.lines
	line, _ = ahead.next()
	at := indentation(line)
	if line == nil || at == 0 && !isDash(line, 0) {
		field.empty = true
		return true
	}
	s.list.layout.column = at
	return s.elements(field)
}

// skipIdle passes blank lines and comments.
func (s *scanner) skipIdle() bool {
	for {
		before := s.lines
		line, ok := s.next()
		if !ok {
			return line == nil
		}
		if !idle(line) {
			s.lines = before
			return true
		}
	}
}

// elements passes the items themselves.
func (s *scanner) elements(field *field) bool {
	for s.pos < len(s.src) {
		ahead := s.lines
		line, ok := ahead.next()
		if !ok {
			return false
		}
		at := indentation(line)
		if at != s.list.layout.column || !isDash(line, at) {
			return at == 0
		}
		if len(s.list.items) == MostItems {
			s.list.excess = true
			return false
		}
		if !s.element(at) {
			return false
		}
		field.end = s.end
	}
	return true
}

// element passes one item.
func (s *scanner) element(column int) bool {
	s.seen.reset(1)
	s.stop, s.peek = column, &s.seen
	before := s.lines
	item := s.newItem()
	item.list, item.span = s.list, span{start: s.pos, line: s.num + 1}
	if s.recognise() && s.seen.object {
		item.identify(&s.seen, s.names)
	} else {
		s.lines = before
		if !s.skipElement(column) {
			return false
		}
		s.odd = append(s.odd, item)
	}
	item.span.end, item.span.next = s.end, s.pos
	s.list.add(item)
	return true
}

// newItem takes items from blocks of growing size.
func (s *scanner) newItem() *Item {
	if len(s.spare) == 0 {
		s.spare = make([]Item, min(1+len(s.list.items), 512))
	}
	item := &s.spare[0]
	s.spare = s.spare[1:]
	return item
}

// skipElement passes an item that only the parser understands: up to the next line that is not deeper than its dash.
// That this is its end is certain once the parser takes these bytes for one complete element.
func (s *scanner) skipElement(column int) bool {
	start := s.pos
	for first := true; ; first = false {
		before := s.lines
		line, ok := s.next()
		if !ok && line != nil {
			return false
		}
		at := indentation(line)
		if !ok || !first && at < len(line) && at <= column && line[at] != '#' {
			s.lines = before
			s.end = start + contentEnd(s.src[start:s.pos], column)
			return true
		}
	}
}
