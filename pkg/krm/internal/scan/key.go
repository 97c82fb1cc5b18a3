package scan

import "bytes"

func isDash(line []byte, at int) bool {
	return line[at] == '-' && (at+1 == len(line) || line[at+1] == ' ')
}

// cutKey finds the key at line[at] and its colon. The colon is -1 if there is no key, and ok is false if that is not
// certain.
func cutKey(line []byte, at int) (key []byte, colon int, ok bool) {
	switch line[at] {
	case '[', '{':
		return nil, -1, true
	case '"', '\'':
		end, closed, ok := closeQuote(line, at+1, line[at])
		switch {
		case !ok:
			return nil, 0, false
		case !closed || end == len(line):
			return nil, -1, true
		case line[end] == ':':
			colon = end
		default:
			return nil, -1, ends(line, end)
		}
	default:
		colon = plainColon(line, at)
		if colon < 0 {
			return nil, -1, true
		}
		if !startsPlain(line, at) || line[colon-1] == ' ' || bytes.IndexByte(line[at:colon], '\t') >= 0 {
			return nil, 0, false
		}
	}
	behind := colon+1 == len(line) || line[colon+1] == ' '
	return line[at:colon], colon, behind && colon-at <= maxKey
}

// plainColon finds the colon that ends a plain key, or returns -1 if the line has no colon before its comment.
func plainColon(line []byte, at int) int {
	for i := at; i < len(line); i++ {
		switch line[i] {
		case ':':
			if i+1 == len(line) || line[i+1] == ' ' {
				return i
			}
		case '#':
			if i > at && line[i-1] == ' ' {
				return -1
			}
		}
	}
	return -1
}
