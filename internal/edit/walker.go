package edit

// walker reads a scalar's bytes, and compares what they mean with the value that the parser got from them.
type walker struct {
	src   []byte
	at    int // in src
	value string
	done  int // of value
	runs  []run
}

// take tells that the next bytes stand for themselves. It is false where the value has others.
func (w *walker) take(size int) bool {
	return w.give(string(w.src[w.at:w.at+size]), w.at, size)
}

// give tells that the value goes on with text, which is written at a place, and passes size bytes.
func (w *walker) give(text string, place, size int) bool {
	if len(w.value)-w.done < len(text) || w.value[w.done:w.done+len(text)] != text {
		return false
	}
	if text != "" {
		w.mark(place)
	}
	w.done += len(text)
	w.at += size
	return true
}

// mark notes where the next byte of the value is written.
func (w *walker) mark(place int) {
	if n := len(w.runs); n > 0 && w.runs[n-1].source-w.runs[n-1].value == place-w.done {
		return
	}
	w.runs = append(w.runs, run{value: w.done, source: place})
}

// breaks tells that line breaks at those places come next. Folded, one alone is a space, and of several the first is
// nothing.
func (w *walker) breaks(places []int, folded bool) bool {
	if folded && len(places) == 1 {
		return w.give(" ", places[0], 0)
	}
	if folded && len(places) > 0 {
		places = places[1:]
	}
	for _, place := range places {
		if !w.give("\n", place, 0) {
			return false
		}
	}
	return true
}
