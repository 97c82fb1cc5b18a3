package scan

// items passes the field `items`.
func (s *scanner) items(field *Field) bool {
	line, _ := s.next()
	field.End = s.pos
	if value := line[field.Value-field.Start:]; !ends(value, 0) {
		return isEmptyList(value) && s.skipBlank()
	}
	if !s.skipBlank() {
		return false
	}
	ahead := s.lines
	line, _ = ahead.next()
	at := Indentation(line)
	if line == nil || at == 0 && !isDash(line, 0) {
		return true
	}
	const usualSize = 512 // of an item
	s.layout.Column, s.layout.Items = at, make([]Item, 0, min((len(s.src)-s.pos)/usualSize, s.limit))
	return s.elements(field)
}

// skipBlank passes blank lines and comments.
func (s *scanner) skipBlank() bool {
	for {
		before := s.lines
		line, ok := s.next()
		if !ok {
			return line == nil
		}
		if !isBlank(line) {
			s.lines = before
			return true
		}
	}
}

// elements passes the items.
func (s *scanner) elements(field *Field) bool {
	for s.pos < len(s.src) {
		ahead := s.lines
		line, ok := ahead.next()
		if !ok {
			return false
		}
		at := Indentation(line)
		if at != s.layout.Column || !isDash(line, at) {
			return at == 0
		}
		if len(s.layout.Items) == s.limit {
			s.tooMany = true
			return false
		}
		if !s.element(at) {
			return false
		}
		field.End = s.end
	}
	return true
}

// element passes one item.
func (s *scanner) element(column int) bool {
	s.seen.reset(1)
	s.stop, s.dashes, s.header = column, false, &s.seen
	before := s.lines
	item := Item{Start: s.pos, Line: s.num + 1}
	if s.entry() && s.seen.object {
		item.Header = s.known(&s.seen)
	} else {
		s.lines = before
		if !s.skipElement(column) {
			return false
		}
		item.NeedsParse = true
	}
	item.End, item.Next = s.end, s.pos
	s.layout.Items = append(s.layout.Items, item)
	return true
}

// skipElement passes an item that needs to be parsed: up to the next line that is not deeper than its dash. This end is
// confirmed when the parser reads these bytes as one complete element.
func (s *scanner) skipElement(column int) bool {
	start := s.pos
	for first := true; ; first = false {
		before := s.lines
		line, ok := s.next()
		if !ok && line != nil {
			return false
		}
		at := Indentation(line)
		if !ok || !first && at < len(line) && at <= column && line[at] != '#' {
			s.lines = before
			s.end = start + contentEnd(s.src[start:s.pos], column)
			return true
		}
	}
}
