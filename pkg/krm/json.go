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
