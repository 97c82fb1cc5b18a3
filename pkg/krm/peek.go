package krm

import "bytes"

// identity is what a peek knows of an object's apiVersion, kind, metadata.name: the index of each.
const (
	peekVersion = iota
	peekKind
	peekName
	peekFields
)

// peek catches an object's apiVersion, kind and metadata.name while the scanner passes by.
//
// Of duplicate keys the first counts, as everywhere.
type peek struct {
	depth  int // of the object's mapping in the scanner's stack
	object bool
	unsure bool // a field is written in a way that only the parser can tell
	field  int  // that the last key names, -1 for none
	within bool // the last key at depth is metadata
	meta   bool // the last key is that one
	passed bool // metadata was there
	seen   [peekFields]bool
	value  [peekFields][]byte
}

func (p *peek) reset(depth int) { *p = peek{depth: depth, field: -1} }

// key takes a key of the mapping at depth in the scanner's stack.
func (p *peek) key(depth int, key []byte) {
	p.field, p.meta = -1, false
	if depth > p.depth+1 {
		return
	}
	if key[0] == '"' || key[0] == '\'' {
		if bytes.IndexByte(key, '\\') >= 0 {
			p.unsure = true
		}
		key = key[1 : len(key)-1]
	}
	switch {
	case depth == p.depth:
		p.object = true
		p.meta = string(key) == "metadata" && !p.passed
		p.within, p.passed = p.meta, p.passed || p.meta
		p.take(key, "apiVersion", peekVersion)
		p.take(key, "kind", peekKind)
	case p.within && depth == p.depth+1:
		p.take(key, "name", peekName)
	}
}

func (p *peek) take(key []byte, name string, field int) {
	if string(key) == name && !p.seen[field] {
		p.seen[field] = true
		p.field = field
	}
}

// plain takes the value of the last key.
func (p *peek) plain(text []byte) {
	if p.field < 0 {
		return
	}
	switch string(text) {
	case "~", "null", "Null", "NULL":
	default:
		p.value[p.field] = text
	}
}

// quoted takes the value of the last key, in quotes from line[from] to line[to].
func (p *peek) quoted(line []byte, from, to int, single bool) {
	if p.field < 0 {
		return
	}
	if !single {
		p.spoil()
		return
	}
	text := line[from+1 : to-1]
	if bytes.IndexByte(text, '\\') >= 0 || bytes.IndexByte(text, '\'') >= 0 {
		p.spoil()
		return
	}
	p.value[p.field] = text
}

// spoil notes that the last key's value is not what it seemed, or not for a peek.
func (p *peek) spoil() {
	if p.field >= 0 || p.meta {
		p.unsure = true
	}
}
