package scan

// maxFlowDepth is how deep flow collections may nest before the scanner leaves them to the parser.
const maxFlowDepth = 64

// maxKey is the length in bytes from which on the scanner leaves a key to the parser, which allows 1,024 characters.
const maxKey = 512

// flow reads a flow collection that starts at line[at] and ends in the same line. It knows the plain shapes: lists and
// maps of quoted scalars and simple words, `key: value` pairs, no trailing comma.
func flow(line []byte, at, depth int) (end int, ok bool) {
	if depth > maxFlowDepth {
		return 0, false
	}
	closing := byte(']')
	if line[at] == '{' {
		closing = '}'
	}
	at = skipSpaces(line, at+1)
	if at < len(line) && line[at] == closing {
		return at + 1, true
	}
	for {
		if closing == '}' {
			if at, ok = flowKey(line, at); !ok {
				return 0, false
			}
		}
		if at, ok = flowValue(line, at, depth); !ok {
			return 0, false
		}
		at = skipSpaces(line, at)
		switch {
		case at < len(line) && line[at] == closing:
			return at + 1, true
		case at+1 >= len(line) || line[at] != ',' || line[at+1] != ' ' && line[at+1] != '"':
			return 0, false
		}
		at = skipSpaces(line, at+1)
	}
}

// flowKey reads `key: `, up to the value.
func flowKey(line []byte, at int) (int, bool) {
	end, ok := flowScalar(line, at)
	if !ok || end-at > maxKey || end >= len(line) || line[end] != ':' {
		return 0, false
	}
	value := skipSpaces(line, end+1)
	return value, value > end+1 || line[at] == '"' && value < len(line) && line[value] == '"'
}

func flowValue(line []byte, at, depth int) (int, bool) {
	if at < len(line) && (line[at] == '[' || line[at] == '{') {
		return flow(line, at, depth+1)
	}
	return flowScalar(line, at)
}

// flowScalar reads a quoted scalar or a word. A word has no characters with a meaning in flow collections.
func flowScalar(line []byte, at int) (int, bool) {
	if at >= len(line) {
		return 0, false
	}
	if line[at] == '"' || line[at] == '\'' {
		end, closed, ok := closeQuote(line, at+1, line[at])
		return end, ok && closed
	}
	end := at
	for end < len(line) && isWord(line, end) {
		end++
	}
	sure := end > at && line[at] != ':' && (line[at] != '-' || end > at+1 && isLetter(line[at+1]))
	return end, sure
}

func isWord(line []byte, at int) bool {
	switch c := line[at]; {
	case c >= '0' && c <= '9', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z':
		return true
	case c == '-', c == '_', c == '.', c == '/', c == '=', c == '+', c == '$', c == '~':
		return true
	case c == ':', c == '@':
		return at > 0 && isLetter(line[at-1]) && at+1 < len(line) && isLetter(line[at+1])
	default:
		return false
	}
}

func isLetter(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '/' || c == '.' || c == '_'
}
