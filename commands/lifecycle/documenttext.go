package lifecycle

import (
	"bytes"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// joined returns a text with all documents of texts.
func joined(texts [][]byte) []byte {
	var all []byte
	for _, text := range texts {
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if len(all) > 0 && all[len(all)-1] != '\n' {
			all = append(all, '\n')
		}
		if len(all) > 0 && !isMarker(text) {
			all = append(all, "---\n"...)
		}
		all = append(all, text...)
	}
	return all
}

// isMarker reports whether a text starts with the marker of a document.
func isMarker(text []byte) bool {
	return bytes.HasPrefix(text, []byte("---")) && (len(text) == 3 || bytes.IndexByte([]byte(" \t\r\n"), text[3]) >= 0)
}

// sameDocuments reports whether documents are the same, in the same order.
func sameDocuments(a, b []load.Document) bool {
	return slices.EqualFunc(a, b, func(a, b load.Document) bool {
		return bytes.Equal(asJSON(a.Item), asJSON(b.Item))
	})
}

func asJSON(item *krm.Item) []byte {
	text, err := item.RNode().MarshalJSON()
	if err != nil {
		return []byte(err.Error())
	}
	return text
}

// cut removes the YAML document that has a line, counted from 1.
func cut(text []byte, line int) []byte {
	from, to := span(text, line)
	rest := slices.Concat(text[:from], text[to:])
	if from == 0 { // the marker of the document that is the first one now
		rest = bytes.TrimPrefix(rest, []byte("---\n"))
	}
	return rest
}

// only returns the YAML document that has a line, counted from 1.
func only(text []byte, line int) []byte {
	from, to := span(text, line)
	return text[from:to]
}

// span returns where the YAML document is that has a line: from the marker `---` above it to the next one.
func span(text []byte, line int) (from, to int) {
	to = len(text)
	for at, number := 0, 0; at < len(text); number++ {
		rest := text[at:]
		switch {
		case !isMarker(rest):
		case number < line:
			from = at
		default:
			return from, at
		}
		n := bytes.IndexByte(rest, '\n')
		if n < 0 {
			break
		}
		at += n + 1
	}
	return from, to
}
