package krm

import (
	"bytes"
	"encoding/json"
)

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
