package scan

import "bytes"

// Annotation returns an annotation of a scanned object that is written as renderers print it: metadata.annotations comes
// first in metadata, and each value is in one line. The value is nil if the object does not have the annotation, and ok is
// false if the object is written in another way.
func Annotation(object []byte, key string) (value []byte, ok bool) {
	rest, ok := annotations(object)
	if !ok {
		return nil, false
	}
	for len(rest) > 0 {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		switch at := Indentation(line); {
		case at < 4 && at < len(line) && line[at] != '#':
			return value, true
		case at != 4 || at == len(line):
			return nil, false
		}
		name, text, _ := bytes.Cut(line[4:], []byte(": "))
		if n := len(text); n > 2 && text[0] == '"' && text[n-1] == '"' {
			text = text[1 : n-1]
		}
		if !isOneWord(name) || !isOneWord(text) {
			return nil, false
		}
		if value == nil && string(name) == key {
			value = text
		}
	}
	return value, true
}

// annotations returns the text from the first annotation on. No quote or bracket may be before, in which the lines could be
// a text.
func annotations(object []byte) (rest []byte, ok bool) {
	const head = "metadata:\n  annotations:\n"
	if rest, ok = bytes.CutPrefix(object, []byte(head)); ok {
		return rest, true
	}
	before, rest, ok := bytes.Cut(object, []byte("\n"+head))
	return rest, ok && !bytes.ContainsAny(before, "\"'[{")
}

// isOneWord reports whether a text is a plain scalar of letters, digits and a few signs, and not null.
func isOneWord(text []byte) bool {
	if len(text) == 0 || !isLetter(text[0]) || text[len(text)-1] == ':' || bytes.EqualFold(text, []byte("null")) {
		return false
	}
	for _, c := range text {
		if !isLetter(c) && bytes.IndexByte([]byte("-@:,"), c) < 0 {
			return false
		}
	}
	return true
}
