package krm

import (
	"bytes"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"go.yaml.in/yaml/v3"
)

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

// parseOdd parses items that the scanner did not understand; all of them must be complete objects.
func parseOdd(items []*Item) bool {
	var failed atomic.Bool
	inParallel(len(items), func(i int) {
		node, err := parseOne(items[i].raw())
		if err != nil || !isElement(node) {
			failed.Store(true)
			return
		}
		items[i].know(node.Content[0])
		items[i].odd = true
	})
	return !failed.Load()
}

func isElement(node *yaml.Node) bool {
	return node.Kind == yaml.SequenceNode && node.Style&yaml.FlowStyle == 0 && len(node.Content) == 1 &&
		node.Content[0].Kind == yaml.MappingNode
}

// inParallel calls do for 0 to n-1, spread over the cores.
func inParallel(n int, do func(int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	group.Wait()
}
