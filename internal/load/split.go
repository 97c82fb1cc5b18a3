package load

import "bytes"

// chunk is the text of one document.
type chunk struct {
	text []byte
	line int // how many lines of the file are before it
	at   int // how many bytes
}

// split cuts a file at its document markers. YAML allows `---` and `...` at the start of a line nowhere else, so no
// parser is needed; and every document can be read though another one is broken.
func split(text []byte) []chunk {
	var chunks []chunk
	start, startLine := 0, 0
	cut := func(end, line int) {
		if piece := text[start:end]; !bare(piece) {
			chunks = append(chunks, chunk{text: piece, line: startLine, at: start})
		}
		start, startLine = end, line
	}
	for at, line := 0, 0; at < len(text); line++ {
		next := lineEnd(text, at)
		switch {
		case marker(text[at:next], "---"):
			cut(at, line)
		case marker(text[at:next], "..."):
			cut(at, line)
			start, startLine = next, line+1
		}
		at = next
	}
	cut(len(text), 0)
	return chunks
}

// marker tells whether a line is a document marker.
func marker(line []byte, mark string) bool {
	if !bytes.HasPrefix(line, []byte(mark)) {
		return false
	}
	return len(line) == len(mark) || bytes.IndexByte([]byte(" \t\r\n"), line[len(mark)]) >= 0
}

// bare tells whether a piece holds nothing but blanks, comments and YAML directives. The directives are of no use: the
// tags and versions that they name change nothing that a document may hold.
func bare(piece []byte) bool {
	for at := 0; at < len(piece); {
		next := lineEnd(piece, at)
		line := piece[at:next]
		if marker(line, "---") {
			line = line[len("---"):]
		}
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' && piece[at] != '%' {
			return false
		}
		at = next
	}
	return true
}

// lineEnd returns where the line that starts at ends, its newline included.
func lineEnd(text []byte, at int) int {
	if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(text)
}
