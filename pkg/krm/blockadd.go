package krm

import (
	"bytes"
	"strings"
)

// addPatches puts the added items behind the last one.
func (l *ResourceList) addPatches(p plan) ([]patch, error) {
	field := l.layout.items
	if len(p.added) == 0 {
		if len(l.read) > 0 && len(l.items) == 0 {
			return []patch{{field.value, field.value, " []"}}, nil
		}
		return nil, nil
	}
	objects, size := make([][]byte, len(p.added)), 0
	for n, item := range p.added {
		var err error
		if objects[n], err = item.Bytes(); err != nil {
			return nil, err
		}
		size += len(objects[n])
	}
	text := make([]byte, 0, size+size/8) // a line of sixteen bytes gets two more
	for _, object := range objects {
		text = indentItem(text, object, l.layout.column, l.eol())
	}
	if len(l.read) > 0 {
		end := l.read[len(l.read)-1].span.end
		return []patch{{end, end, string(text)}}, nil
	}
	if field == nil {
		return []patch{{l.layout.end, l.layout.end, "items:" + l.eol() + string(text)}}, nil
	}
	return append(l.emptyPatches(field), patch{field.end, field.end, string(text)}), nil
}

// emptyPatches takes away the `[]` or null that is the value of an empty `items`.
func (l *ResourceList) emptyPatches(field *field) []patch {
	line := l.src[field.value:field.end]
	from := skipSpaces(line, 0)
	if line[from] == '#' || line[from] == '\r' || line[from] == '\n' {
		return nil
	}
	to := from
	for to < len(line) && bytes.IndexByte([]byte(" \r\n"), line[to]) < 0 {
		to++
	}
	return []patch{{field.value, field.value + to, ""}}
}

// resultPatches puts the results in the place of those that came in.
func (l *ResourceList) resultPatches() []patch {
	text := ""
	if results := l.Results(); len(results) > 0 {
		text = strings.ReplaceAll(results.yaml(), "\n", l.eol())
	}
	old := l.layout.field("results")
	switch {
	case old == nil && text == "":
		return nil
	case old == nil:
		return []patch{{l.layout.end, l.layout.end, text}}
	case text == "" && isNothingText(l.src[old.value:old.end]):
		return nil
	default:
		return []patch{{old.start, old.end, text}}
	}
}

// isNothingText tells whether the value of a field is empty.
func isNothingText(value []byte) bool {
	switch strings.TrimSpace(string(value)) {
	case "", "[]", "null", "~":
		return true
	}
	return false
}
