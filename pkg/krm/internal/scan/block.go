package scan

// maxBlockDepth is how deep block collections may nest before the scanner leaves them to the parser.
const maxBlockDepth = 500

// level is an open block collection: its column, and whether it is a sequence.
type level struct {
	column   int
	sequence bool
}

// blockScanner scans one entry of a block collection, line by line, without building a tree. It accepts a subset of
// YAML on which it agrees with the parser in every case, and gives up on everything else.
//
// Its state is that of a YAML scanner: the stack of open collections; whether the last key or dash still waits for its
// value; and whether the last line ended in a plain scalar that a deeper line would continue.
type blockScanner struct {
	lines
	stop    int  // a token at this column or left of it is behind the entry
	dashes  bool // but a dash at this column is not
	stack   []level
	pending bool
	open    bool

	end    int // of the content, without the blank lines and comments behind it that are not deeper than stop
	header *header
}

// entry reads one entry, and returns false if it gives up. Then the reader is somewhere in the entry; otherwise at the
// line after it.
func (b *blockScanner) entry() bool {
	b.stack, b.pending, b.open = b.stack[:0], true, false
	for first := true; ; {
		before := b.lines
		line, ok := b.next()
		if !ok {
			return line == nil
		}
		at := Indentation(line)
		switch {
		case at == len(line):
			continue
		case line[at] == '#':
			b.open = false
			if at > b.stop {
				b.end = b.pos
			}
			continue
		case at == 0 && isAnyMark(line) && b.stop < 0:
			return false
		case at <= b.stop && !first && (!b.dashes || at != b.stop || !isDash(line, at)):
			b.lines = before
			return true
		}
		first = false
		if !b.line(line, at) {
			return false
		}
	}
}

// line takes one line whose first token is at line[at].
func (b *blockScanner) line(line []byte, at int) bool {
	if b.open && at > b.indent() {
		_, comment, ok := plain(line, at)
		b.open = !comment
		b.end = b.pos
		b.header.invalidate()
		return ok
	}
	b.open = false
	for len(b.stack) > 0 && b.indent() > at {
		b.pop()
	}
	if isDash(line, at) {
		return b.dash(line, at)
	}
	if top := b.top(); top != nil && top.sequence && top.column == at {
		b.pop()
		if top = b.top(); top == nil || top.sequence || top.column != at {
			return false
		}
	}
	return b.content(line, at)
}

// dash takes the `- ` of a sequence's entry and the rest of the line.
func (b *blockScanner) dash(line []byte, at int) bool {
	if top := b.top(); top == nil || !top.sequence || top.column != at {
		if !b.pending || !b.push(level{at, true}) {
			return false
		}
	}
	b.pending = true
	b.end = b.pos
	next := skipSpaces(line, at+1)
	switch {
	case next == len(line) || line[next] == '#':
		return true
	case isDash(line, next):
		return b.dash(line, next)
	default:
		return b.content(line, next)
	}
}

// content takes a key with its value, or the scalar or flow collection that a key or dash waits for.
func (b *blockScanner) content(line []byte, at int) bool {
	top := b.top()
	key, colon, ok := cutKey(line, at)
	if !ok {
		return false
	}
	if colon < 0 {
		if !b.pending || top == nil || top.column >= at {
			return false
		}
		b.header.invalidate()
		return b.value(line, at)
	}
	if top == nil || top.sequence || top.column != at {
		if !b.pending || !b.push(level{at, false}) {
			return false
		}
	}
	b.end = b.pos
	b.header.key(len(b.stack)-1, key)
	value := skipSpaces(line, colon+1)
	if value == len(line) || line[value] == '#' {
		b.pending = true
		return true
	}
	return b.value(line, value)
}

// value takes a scalar or a flow collection up to the end of its last line.
func (b *blockScanner) value(line []byte, at int) bool {
	b.pending = false
	from := at
	switch c := line[at]; {
	case c == '"' || c == '\'':
		last, end, ok := b.quoted(line, at)
		if !ok || !ends(last, end) {
			return false
		}
		b.end = b.pos
		b.header.quoted(line, from, end, &last[0] == &line[0])
		return true
	case c == '|' || c == '>':
		end, ok := b.blockScalar(line, at, b.indent())
		b.end = end
		b.header.invalidate()
		return ok
	case c == '[' || c == '{':
		end, ok := flow(line, at, 0)
		b.end = b.pos
		b.header.invalidate()
		return ok && ends(line, end)
	case !startsPlain(line, at):
		return false
	default:
		end, comment, ok := plain(line, at)
		b.open = !comment
		b.end = b.pos
		if ok {
			b.header.plain(line[at:end])
		}
		return ok
	}
}

func (b *blockScanner) indent() int {
	if len(b.stack) == 0 {
		return -1
	}
	return b.stack[len(b.stack)-1].column
}

func (b *blockScanner) top() *level {
	if len(b.stack) == 0 {
		return nil
	}
	return &b.stack[len(b.stack)-1]
}

func (b *blockScanner) push(l level) bool {
	b.stack = append(b.stack, l)
	b.pending = false
	return len(b.stack) <= maxBlockDepth
}

func (b *blockScanner) pop() {
	b.stack = b.stack[:len(b.stack)-1]
	b.pending = false
}
