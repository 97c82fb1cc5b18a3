package scan

import "bytes"

// quoted reads a quoted scalar whose opening quote is at line[at]; it may continue on further lines, at any column. It
// returns its last line and the position after the closing quote, and false if it is not sure.
func (l *lines) quoted(line []byte, at int) ([]byte, int, bool) {
	quote := line[at]
	at++
	for {
		end, closed, ok := closeQuote(line, at, quote)
		if !ok || closed {
			return line, end, ok
		}
		if line, ok = l.next(); !ok || isAnyMark(line) {
			return nil, 0, false
		}
		at = 0
	}
}

// closeQuote looks for the closing quote in the rest of one line.
func closeQuote(line []byte, at int, quote byte) (end int, closed, ok bool) {
	for at < len(line) {
		switch c := line[at]; {
		case c == quote && quote == '\'' && at+1 < len(line) && line[at+1] == quote:
			at += 2
		case c == quote:
			return at + 1, true, true
		case c == '\\' && quote == '"':
			size := escape(line[at+1:])
			if size < 0 {
				return 0, false, false
			}
			at += 1 + size
		default:
			at++
		}
	}
	return at, false, true
}

// escape returns the length of an escape after its backslash, 0 at the end of a line, and -1 if not every reader knows
// the escape.
func escape(text []byte) int {
	if len(text) == 0 {
		return 0
	}
	digits := 0
	switch text[0] {
	case '0', 'a', 'b', 't', 'n', 'v', 'f', 'r', 'e', ' ', '"', '\\', 'N', '_', 'L', 'P':
		return 1
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	}
	if digits == 0 || len(text) <= digits {
		return -1
	}
	value := 0
	for _, c := range text[1 : 1+digits] {
		digit := bytes.IndexByte([]byte("0123456789abcdef"), c|0x20)
		if digit < 0 {
			return -1
		}
		value = value<<4 | digit
	}
	if value > 0x10ffff || value >= 0xd800 && value <= 0xdfff {
		return -1
	}
	return 1 + digits
}

// blockScalar reads a block scalar whose indicator is at line[at], below a parent that is indented by parent columns.
// It returns the end of its content (the start of the next line) and leaves l there, blank lines excluded.
func (l *lines) blockScalar(line []byte, at, parent int) (end int, ok bool) {
	keep, indent, ok := blockHeader(line, at, parent)
	if !ok {
		return 0, false
	}
	end = l.pos
	for widest := 0; ; {
		before := *l
		line, ok := l.next()
		if !ok {
			return end, line == nil
		}
		spaces := Indentation(line)
		blank := spaces == len(line)
		switch {
		case blank && (indent == 0 || spaces <= indent):
			widest = max(widest, spaces)
			if !keep {
				continue
			}
		case spaces < max(indent, parent+1):
			*l = before
			return end, line[spaces] != '\t'
		case indent == 0:
			if spaces < widest || line[spaces] == '\t' {
				return 0, false
			}
			indent = spaces
		}
		end = l.pos
	}
}

// blockHeader reads the indicators of a block scalar. The indent is 0 if the first line determines it.
func blockHeader(line []byte, at, parent int) (keep bool, indent int, ok bool) {
	at++
	for range 2 {
		switch {
		case at == len(line):
		case line[at] == '+', line[at] == '-':
			keep = line[at] == '+'
			at++
			if at < len(line) && (line[at] == '+' || line[at] == '-') {
				return false, 0, false
			}
		case line[at] >= '1' && line[at] <= '9':
			if indent > 0 {
				return false, 0, false
			}
			indent = parent + int(line[at]-'0')
			at++
		}
	}
	return keep, indent, ends(line, at)
}

// plain finds the end of a plain scalar's text in one line, and returns false if the line may have another meaning.
func plain(line []byte, at int) (end int, comment, ok bool) {
	for i := at; i < len(line); i++ {
		switch line[i] {
		case '\t':
			return 0, false, false
		case ':':
			if i+1 == len(line) || line[i+1] == ' ' {
				return 0, false, false
			}
		case '#':
			if i > at && line[i-1] == ' ' {
				return trimSpaces(line, i), true, true
			}
		}
	}
	return trimSpaces(line, len(line)), false, true
}

func trimSpaces(line []byte, end int) int {
	for end > 0 && line[end-1] == ' ' {
		end--
	}
	return end
}

// startsPlain reports whether a plain scalar or key starts at line[at].
func startsPlain(line []byte, at int) bool {
	switch line[at] {
	case '-':
		return at+1 < len(line) && line[at+1] != ' ' && line[at+1] != '\t'
	case '?', ':', ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`', '\t':
		return false
	default:
		return true
	}
}
