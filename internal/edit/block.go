package edit

import "strconv"

// block reads a literal or folded scalar from its indicator on.
func (w *scalarReader) block(folded bool) bool {
	explicit, ok := w.header()
	if !ok {
		return false
	}
	if explicit == 0 {
		indent, _ := firstIndent(w.src[w.at:])
		return w.lines(folded, indent)
	}
	// An explicit indent is relative to that of the parent, which is not known here.
	_, widest := firstIndent(w.src[w.at:])
	for indent := explicit; indent <= widest; indent++ {
		attempt := *w
		if attempt.lines(folded, indent) {
			*w = attempt
			return true
		}
	}
	return false
}

// header skips the line of the indicator, and returns the indent that it gives, 0 if it gives none.
func (w *scalarReader) header() (indent int, ok bool) {
	for w.at++; w.at < len(w.src); w.at++ {
		switch c := w.src[w.at]; {
		case c == '+', c == '-':
		case c >= '1' && c <= '9':
			indent, _ = strconv.Atoi(string(c))
		default:
			w.at += lineLength(w.src[w.at:])
			size := breakSize(w.src[w.at:])
			w.at += size
			return indent, size > 0
		}
	}
	return 0, false
}

// firstIndent returns how far the first line that is not blank is indented, and the widest indent up to there.
func firstIndent(text []byte) (first, widest int) {
	for at := 0; at < len(text); {
		size := lineLength(text[at:])
		spaces := indentation(text[at : at+size])
		widest = max(widest, spaces)
		if spaces < size {
			return spaces, widest
		}
		at += size
		at += breakSize(text[at:])
	}
	return widest, widest
}

func indentation(line []byte) int {
	for at, c := range line {
		if c != ' ' {
			return at
		}
	}
	return len(line)
}

// lines reads the lines of a block that is indented so far.
func (w *scalarReader) lines(folded bool, indent int) bool {
	var open []int   // the breaks since the last text
	wasBlank := true // the last text began with a blank, or there was none
	for w.at < len(w.src) {
		size := lineLength(w.src[w.at:])
		line := w.src[w.at : w.at+size]
		spaces := indentation(line)
		if spaces < indent && spaces < size {
			break
		}
		if size > indent {
			isBlank := isBlank(line[indent])
			if w.done == len(w.value) || !w.breaks(open, folded && !wasBlank && !isBlank) {
				return false
			}
			w.at += indent
			if !w.take(size - indent) {
				return false
			}
			open, wasBlank, size = nil, isBlank, 0
		}
		open = append(open, w.at+size)
		w.at += size
		w.at += breakSize(w.src[w.at:])
	}
	for n := 0; n < len(open) && w.done < len(w.value); n++ {
		if !w.give("\n", open[n], 0) {
			return false
		}
	}
	return w.done == len(w.value)
}
