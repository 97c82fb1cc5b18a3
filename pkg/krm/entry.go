package krm

// deepestBlock is how deep block collections may nest before the scanner leaves them to the parser.
const deepestBlock = 500

// level is an open block collection: its column, and whether it is a sequence.
type level struct {
	column   int
	sequence bool
}

// entry recognises one entry of a block collection, line by line, without building a tree. It accepts a subset of
// YAML on which it agrees with the parser in every case, and gives up on everything else.
//
// The state is what a YAML scanner keeps: the stack of open collections; whether the last key or dash still waits for
// its value; and whether the last line ended in a plain scalar that a deeper line would continue.
type entry struct {
	lines
	stop    int // a token at this column or left of it is behind the entry
	stack   []level
	pending bool
	open    bool

	end  int // of the content, without the blank lines and comments behind it that are not deeper than stop
	peek *peek
}

// recognise reads one entry, and returns false where it gives up. Then l is somewhere in the entry; else at the line
// behind it.
func (e *entry) recognise() bool {
	e.stack, e.pending, e.open = e.stack[:0], true, false
	for first := true; ; {
		before := e.lines
		line, ok := e.next()
		if !ok {
			return line == nil
		}
		at := indentation(line)
		switch {
		case at == len(line):
			continue
		case line[at] == '#':
			e.open = false
			if at > e.stop {
				e.end = e.pos
			}
			continue
		case at == 0 && isAnyMark(line) && e.stop < 0:
			return false
		case at <= e.stop && !first:
			e.lines = before
			return true
		}
		first = false
		if !e.line(line, at) {
			return false
		}
	}
}

// line takes one line whose first token is at line[at].
func (e *entry) line(line []byte, at int) bool {
	if e.open && at > e.indent() {
		_, comment, ok := plain(line, at)
		e.open = !comment
		e.end = e.pos
		e.peek.spoil()
		return ok
	}
	e.open = false
	for len(e.stack) > 0 && e.indent() > at {
		e.pop()
	}
	if isDash(line, at) {
		return e.dash(line, at)
	}
	if top := e.top(); top != nil && top.sequence && top.column == at {
		e.pop()
		if top = e.top(); top == nil || top.sequence || top.column != at {
			return false
		}
	}
	return e.content(line, at)
}

// dash takes the `- ` of a sequence's entry and what follows it in the line.
func (e *entry) dash(line []byte, at int) bool {
	if top := e.top(); top == nil || !top.sequence || top.column != at {
		if !e.pending || !e.push(level{at, true}) {
			return false
		}
	}
	e.pending = true
	e.end = e.pos
	next := skipSpaces(line, at+1)
	switch {
	case next == len(line) || line[next] == '#':
		return true
	case isDash(line, next):
		return e.dash(line, next)
	default:
		return e.content(line, next)
	}
}

// content takes a key with its value, or the scalar or flow collection that a key or dash waits for.
func (e *entry) content(line []byte, at int) bool {
	top := e.top()
	key, colon, ok := cutKey(line, at)
	if !ok {
		return false
	}
	if colon < 0 {
		if !e.pending || top == nil || top.column >= at {
			return false
		}
		e.peek.spoil()
		return e.value(line, at)
	}
	if top == nil || top.sequence || top.column != at {
		if !e.pending || !e.push(level{at, false}) {
			return false
		}
	}
	e.end = e.pos
	e.peek.key(len(e.stack)-1, key)
	value := skipSpaces(line, colon+1)
	if value == len(line) || line[value] == '#' {
		e.pending = true
		return true
	}
	return e.value(line, value)
}

// value takes a scalar or a flow collection up to the end of its last line.
func (e *entry) value(line []byte, at int) bool {
	e.pending = false
	from := at
	switch c := line[at]; {
	case c == '"' || c == '\'':
		last, end, ok := e.quoted(line, at)
		if !ok || !ends(last, end) {
			return false
		}
		e.end = e.pos
		e.peek.quoted(line, from, end, &last[0] == &line[0])
		return true
	case c == '|' || c == '>':
		end, ok := e.block(line, at, e.indent())
		e.end = end
		e.peek.spoil()
		return ok
	case c == '[' || c == '{':
		end, ok := flow(line, at, 0)
		e.end = e.pos
		e.peek.spoil()
		return ok && ends(line, end)
	case !startsPlain(line, at):
		return false
	default:
		end, comment, ok := plain(line, at)
		e.open = !comment
		e.end = e.pos
		if ok {
			e.peek.plain(line[at:end])
		}
		return ok
	}
}

func (e *entry) indent() int {
	if len(e.stack) == 0 {
		return -1
	}
	return e.stack[len(e.stack)-1].column
}

func (e *entry) top() *level {
	if len(e.stack) == 0 {
		return nil
	}
	return &e.stack[len(e.stack)-1]
}

func (e *entry) push(l level) bool {
	e.stack = append(e.stack, l)
	e.pending = false
	return len(e.stack) <= deepestBlock
}

func (e *entry) pop() {
	e.stack = e.stack[:len(e.stack)-1]
	e.pending = false
}
