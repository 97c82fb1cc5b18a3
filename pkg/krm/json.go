package krm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// jsonList says where the fields and items of a JSON list are.
type jsonList struct {
	members []member
	open    int // the list's opening brace
	close   int // the list's closing brace
	items   *member
	array   bool // items is an array, not null
}

// member is a field of a JSON object: its key, and its value in [value, end).
type member struct {
	name            string
	key, value, end int
}

func (l *jsonList) member(name string) *member { return findMember(l.members, name) }

func findMember(members []member, name string) *member {
	for i := range members {
		if members[i].name == name {
			return &members[i]
		}
	}
	return nil
}

// scanJSON lays out a JSON list. It returns false where src is not JSON.
func (l *ResourceList) scanJSON() (bool, error) {
	start := len(l.src) - len(bytes.TrimPrefix(l.src, []byte(byteOrderMark)))
	if !utf8.Valid(l.src) || !json.Valid(l.src[start:]) {
		return false, nil
	}
	open := skipJSONSpace(l.src, start)
	members, end := jsonMembers(l.src, open)
	l.json = &jsonList{members: members, open: open, close: end - 1}
	for n, field := range members {
		if findMember(members[:n], field.name) != nil {
			return true, fmt.Errorf("field %q must not be given twice", field.name)
		}
	}
	l.json.items = l.json.member("items")
	l.version = l.jsonText("apiVersion")
	l.kind = l.jsonText("kind")
	if l.json.items == nil {
		return true, nil
	}
	return true, l.scanJSONItems(*l.json.items)
}

func (l *ResourceList) jsonText(name string) string {
	field := l.json.member(name)
	if field == nil {
		return ""
	}
	text, _ := jsonString(l.src[field.value:field.end])
	return text
}

func (l *ResourceList) scanJSONItems(field member) error {
	switch l.src[field.value] {
	case 'n':
		return nil
	case '[':
		l.json.array = true
	default:
		return errors.New("`items` must be a list")
	}
	names := map[string]string{}
	for _, value := range jsonElements(l.src, field.value) {
		if l.src[value.start] != '{' {
			return fmt.Errorf("items[%d] (offset %d): must be an object", len(l.items), value.start)
		}
		if len(l.items) == MostItems {
			return errExcess
		}
		item := &Item{list: l, span: span{start: value.start, end: value.end, next: value.end}}
		seen := peekJSON(item.raw())
		item.identify(&seen, names)
		l.add(item)
	}
	return nil
}

// peekJSON reads an object's apiVersion, kind and metadata.name.
func peekJSON(object []byte) peek {
	var seen peek
	members, _ := jsonMembers(object, 0)
	seen.jsonField(object, members, "apiVersion", peekVersion)
	seen.jsonField(object, members, "kind", peekKind)
	if meta := findMember(members, "metadata"); meta != nil && object[meta.value] == '{' {
		members, _ = jsonMembers(object, meta.value)
		seen.jsonField(object, members, "name", peekName)
	}
	return seen
}

func (p *peek) jsonField(object []byte, members []member, name string, field int) {
	found := findMember(members, name)
	if found == nil {
		return
	}
	text, ok := jsonString(object[found.value:found.end])
	p.value[field] = []byte(text)
	p.unsure = p.unsure || !ok
}

// jsonString decodes a JSON string; false where it is something else.
func jsonString(text []byte) (string, bool) {
	if text[0] != '"' {
		return "", false
	}
	if inner := text[1 : len(text)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner), true
	}
	var decoded string
	err := json.Unmarshal(text, &decoded)
	return decoded, err == nil
}

// jsonMembers returns the members of the object that starts at src[at], and where it ends. The text is valid JSON.
func jsonMembers(src []byte, at int) ([]member, int) {
	var members []member
	for at = skipJSONSpace(src, at+1); src[at] != '}'; {
		one := member{key: at}
		end := skipJSON(src, at)
		one.name, _ = jsonString(src[at:end])
		one.value = skipJSONSpace(src, skipJSONSpace(src, end)+1)
		one.end = skipJSON(src, one.value)
		members = append(members, one)
		if at = skipJSONSpace(src, one.end); src[at] == ',' {
			at = skipJSONSpace(src, at+1)
		}
	}
	return members, at + 1
}

// jsonElements returns the elements of the array that starts at src[at]. The text is valid JSON.
func jsonElements(src []byte, at int) []span {
	var elements []span
	for at = skipJSONSpace(src, at+1); src[at] != ']'; {
		end := skipJSON(src, at)
		elements = append(elements, span{start: at, end: end})
		if at = skipJSONSpace(src, end); src[at] == ',' {
			at = skipJSONSpace(src, at+1)
		}
	}
	return elements
}

// skipJSON returns the end of the value that starts at src[at]. The text is valid JSON.
func skipJSON(src []byte, at int) int {
	switch src[at] {
	case '"':
		return skipJSONString(src, at)
	case '{', '[':
		for depth := 0; ; {
			switch src[at] {
			case '"':
				at = skipJSONString(src, at)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return at + 1
				}
			}
			at++
		}
	}
	for at < len(src) && bytes.IndexByte([]byte(" \t\r\n,]}"), src[at]) < 0 {
		at++
	}
	return at
}

func skipJSONString(src []byte, at int) int {
	for at++; src[at] != '"'; at++ {
		if src[at] == '\\' {
			at++
		}
	}
	return at + 1
}

func skipJSONSpace(src []byte, at int) int {
	for at < len(src) && (src[at] == ' ' || src[at] == '\t' || src[at] == '\r' || src[at] == '\n') {
		at++
	}
	return at
}

// jsonPlace finds the value at a path in an object.
func jsonPlace(src []byte, path Path) (from, to int, ok bool) {
	to = len(src)
	for rest := string(path); rest != ""; {
		key, index, after, ok := nextStep(rest)
		switch {
		case !ok:
			return 0, 0, false
		case index < 0 && src[from] == '{':
			members, _ := jsonMembers(src, from)
			found := findMember(members, key)
			if found == nil {
				return 0, 0, false
			}
			from, to = found.value, found.end
		case index >= 0 && src[from] == '[':
			elements := jsonElements(src, from)
			if index >= len(elements) {
				return 0, 0, false
			}
			from, to = elements[index].start, elements[index].end
		default:
			return 0, 0, false
		}
		rest = after
	}
	return from, to, true
}
