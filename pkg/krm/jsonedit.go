package krm

import (
	"bytes"
	"encoding/json"
	"fmt"
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

// jsonText returns the bytes of a JSON item with its edits.
func (i *Item) jsonText() ([]byte, error) {
	text := i.raw()
	for _, one := range i.changes() {
		var err error
		if text, err = one.applyJSON(text); err != nil {
			return nil, i.blame(err)
		}
	}
	return text, nil
}

func (one edit) applyJSON(text []byte) ([]byte, error) {
	value := string(escapeJSON(nil, one.value))
	from, to, exists := jsonPlace(text, one.path)
	switch {
	case one.gone && exists:
		text = cutMember(text, annotationsPath, one.key)
		if at, end, _ := jsonPlace(text, annotationsPath); skipJSONSpace(text, at+1) == end-1 {
			text = cutMember(text, "metadata", "annotations")
		}
		return text, nil
	case one.gone:
		return text, nil
	case exists:
		return applyPatches(text, []patch{{from, to, value}}), nil
	}
	text, err := openMember(text, "", "metadata")
	if err != nil {
		return nil, err
	}
	if text, err = openMember(text, "metadata", "annotations"); err != nil {
		return nil, err
	}
	return addMember(text, annotationsPath, one.key, value), nil
}

// openMember gives the object at path an object called name, where it has none.
func openMember(text []byte, path Path, name string) ([]byte, error) {
	from, to, exists := jsonPlace(text, path.Key(name))
	switch {
	case !exists:
		return addMember(text, path, name, "{}"), nil
	case text[from] == 'n':
		return applyPatches(text, []patch{{from, to, "{}"}}), nil
	case text[from] != '{':
		return nil, fmt.Errorf("%q must be a mapping to be annotated", name)
	}
	return text, nil
}

// addMember adds a member to the object at path, with the white space of the others.
func addMember(text []byte, path Path, name, value string) []byte {
	at, _, _ := jsonPlace(text, path)
	return applyPatches(text, []patch{memberPatch(text, at, name, value)})
}

func memberPatch(text []byte, at int, name, value string) patch {
	members, _ := jsonMembers(text, at)
	key := string(escapeJSON(nil, name))
	if len(members) == 0 {
		return patch{at + 1, at + 1, key + ": " + value}
	}
	first, last := members[0], members[len(members)-1]
	colon := string(text[skipJSON(text, last.key):last.value])
	return patch{last.end, last.end, "," + string(text[at+1:first.key]) + key + colon + value}
}

// cutMember removes the member called name from the object at path.
func cutMember(text []byte, path Path, name string) []byte {
	at, _, _ := jsonPlace(text, path)
	return applyPatches(text, []patch{cutPatch(text, at, name)})
}

func cutPatch(text []byte, at int, name string) patch {
	members, end := jsonMembers(text, at)
	for n, one := range members {
		switch {
		case one.name != name:
			continue
		case n+1 < len(members):
			return patch{one.key, members[n+1].key, ""}
		case n > 0:
			return patch{members[n-1].end, one.end, ""}
		default:
			return patch{at + 1, end - 1, ""}
		}
	}
	return patch{at, at, ""}
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
