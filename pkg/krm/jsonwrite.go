package krm

import (
	"bytes"
	"encoding/json"
	"strings"
)

// writeJSON cuts the changes into the bytes of a JSON list.
func (l *ResourceList) writeJSON(p plan) ([]byte, error) {
	var patches []patch
	if l.itemsChanged(p) {
		array, err := l.jsonArray(p)
		if err != nil {
			return nil, err
		}
		patches = append(patches, l.jsonField("items", array)...)
	}
	results, err := l.jsonResults()
	if err != nil {
		return nil, err
	}
	patches = append(patches, results...)
	if len(patches) == 0 {
		return l.src, nil
	}
	return applyPatches(l.src, patches), nil
}

func (l *ResourceList) itemsChanged(p plan) bool {
	if len(p.added) > 0 {
		return true
	}
	for n, item := range p.kept {
		if item != l.read[n] || len(item.changes()) > 0 {
			return true
		}
	}
	return false
}

// jsonArray writes the array of items with the white space that stood between them.
func (l *ResourceList) jsonArray(p plan) (string, error) {
	style := l.arrayStyle()
	var out bytes.Buffer
	out.WriteString("[")
	write := func(text []byte, gap string) {
		if out.Len() > 1 {
			out.WriteString(gap)
		} else {
			out.WriteString(style.lead)
		}
		out.Write(text)
	}
	for n, old := range l.read {
		if p.kept[n] == nil {
			continue
		}
		text, err := l.jsonItem(p.kept[n], old, style)
		if err != nil {
			return "", err
		}
		gap := style.gap
		if n > 0 {
			gap = string(l.src[l.read[n-1].span.end:old.span.start])
		}
		write(text, gap)
	}
	for _, item := range p.added {
		text, err := l.jsonItem(item, nil, style)
		if err != nil {
			return "", err
		}
		write(text, style.gap)
	}
	if out.Len() > 1 {
		out.WriteString(style.tail)
	}
	out.WriteString("]")
	return out.String(), nil
}

// arrayStyle is the white space of the array of items.
type arrayStyle struct{ lead, gap, tail, indent, unit string }

func (l *ResourceList) arrayStyle() arrayStyle {
	var s arrayStyle
	if len(l.read) > 0 {
		first, last := l.read[0], l.read[len(l.read)-1]
		s.lead = string(l.src[l.json.items.value+1 : first.span.start])
		s.tail = string(l.src[last.span.end : l.json.items.end-1])
	} else if lead := l.memberLead(); strings.Contains(lead, "\n") {
		s.tail = lead
		s.lead = lead + lead[strings.LastIndexByte(lead, '\n')+1:]
	}
	s.gap = "," + s.lead
	if at := strings.LastIndexByte(s.lead, '\n'); at >= 0 {
		s.indent = s.lead[at+1:]
		s.unit = strings.TrimPrefix(s.indent, s.tail[strings.LastIndexByte(s.tail, '\n')+1:])
	}
	return s
}

// memberLead returns the white space in front of the list's first field.
func (l *ResourceList) memberLead() string {
	if len(l.json.members) == 0 {
		return ""
	}
	return string(l.src[l.json.open+1 : l.json.members[0].key])
}

// jsonItem writes an item: as it came with its edits, or printed in the list's style.
func (l *ResourceList) jsonItem(item, old *Item, style arrayStyle) ([]byte, error) {
	if item == old {
		return item.jsonText()
	}
	tree, err := item.editedTree()
	if err != nil {
		return nil, err
	}
	text, err := encodeJSON(nil, tree)
	if err != nil || style.indent == "" {
		return text, err
	}
	var out bytes.Buffer
	err = json.Indent(&out, text, style.indent, style.unit)
	return out.Bytes(), err
}

// jsonField gives the list a field with that value.
func (l *ResourceList) jsonField(name, value string) []patch {
	if old := l.json.member(name); old != nil {
		return []patch{{old.value, old.end, value}}
	}
	return []patch{memberPatch(l.src, l.json.open, name, value)}
}

// jsonResults puts the results in the place of those that came in.
func (l *ResourceList) jsonResults() ([]patch, error) {
	results := l.Results()
	old := l.json.member("results")
	if len(results) == 0 {
		if old == nil || isNothingText(l.src[old.value:old.end]) {
			return nil, nil
		}
		return []patch{{old.value, old.end, "[]"}}, nil
	}
	text, err := results.json()
	if err != nil {
		return nil, err
	}
	if lead := l.memberLead(); strings.Contains(lead, "\n") {
		indent := lead[strings.LastIndexByte(lead, '\n')+1:]
		var out bytes.Buffer
		if err := json.Indent(&out, []byte(text), indent, indent); err != nil {
			return nil, err
		}
		text = out.String()
	}
	return l.jsonField("results", text), nil
}
