package scan

import "bytes"

// The fields of a header, as indexes.
const (
	headerVersion = iota
	headerKind
	headerName
	headerNamespace
	headerFields
)

// header records an object's apiVersion, kind, metadata.name and metadata.namespace as the scanner passes them. Of
// duplicate keys the first counts, as everywhere.
type header struct {
	depth  int // of the object's mapping in the scanner's stack
	object bool
	unsure bool // only the parser can read a field
	field  int  // of the last key, or -1
	within bool // the last key at depth is metadata
	meta   bool // the last key is metadata
	passed bool // metadata was seen
	twice  bool // a field was seen twice, or may come from a merge key
	seen   [headerFields]bool
	value  [headerFields][]byte
}

func (h *header) reset(depth int) { *h = header{depth: depth, field: -1} }

// key takes a key of the mapping at depth in the scanner's stack.
func (h *header) key(depth int, key []byte) {
	h.field, h.meta = -1, false
	if depth > h.depth+1 {
		return
	}
	if key[0] == '"' || key[0] == '\'' {
		if bytes.IndexByte(key, '\\') >= 0 {
			h.unsure = true
		}
		key = key[1 : len(key)-1]
	}
	switch {
	case depth == h.depth:
		h.object = true
		h.twice = h.twice || string(key) == "<<" || string(key) == "metadata" && h.passed
		h.meta = string(key) == "metadata" && !h.passed
		h.within, h.passed = h.meta, h.passed || h.meta
		h.take(key, "apiVersion", headerVersion)
		h.take(key, "kind", headerKind)
	case h.within && depth == h.depth+1:
		h.twice = h.twice || string(key) == "<<"
		h.take(key, "name", headerName)
		h.take(key, "namespace", headerNamespace)
	}
}

func (h *header) take(key []byte, name string, field int) {
	if string(key) != name {
		return
	}
	if h.twice = h.twice || h.seen[field]; !h.seen[field] {
		h.seen[field] = true
		h.field = field
	}
}

// plain takes the value of the last key.
func (h *header) plain(text []byte) {
	if h.field < 0 {
		return
	}
	switch string(text) {
	case "~", "null", "Null", "NULL":
	default:
		h.value[h.field] = text
	}
}

// quoted takes the value of the last key, in quotes from line[from] to line[to].
func (h *header) quoted(line []byte, from, to int, single bool) {
	if h.field < 0 {
		return
	}
	if !single {
		h.invalidate()
		return
	}
	text := line[from+1 : to-1]
	if bytes.IndexByte(text, '\\') >= 0 || bytes.IndexByte(text, '\'') >= 0 {
		h.invalidate()
		return
	}
	h.value[h.field] = text
}

// invalidate records that the last key's value must be parsed, since it spans several lines or has an unexpected form.
func (h *header) invalidate() {
	if h.field >= 0 || h.meta {
		h.unsure = true
	}
}
