package manifest

import "strconv"

// indentation of one level, in spaces.
const indentation = 2

// longestKey is how long a key may be, as printed, to stand before its colon: YAML readers give up after 1,024
// characters.
const longestKey = 1000

// AppendYAML appends the tree as a YAML document that ends in a newline: block style, indented by two spaces, lists not
// indented further than the key that holds them.
func AppendYAML(dst []byte, v Value) []byte {
	switch v := v.(type) {
	case Map:
		if len(v) > 0 {
			return appendMap(dst, v, 0)
		}
	case List:
		if len(v) > 0 {
			return appendList(dst, v, 0)
		}
	}
	return appendInline(dst, v, 0)
}

// appendMap writes the fields, one a line; the cursor is where the first key goes.
func appendMap(dst []byte, m Map, indent int) []byte {
	for i, field := range m {
		if i > 0 {
			dst = appendSpaces(dst, indent)
		}
		dst = appendKey(dst, field.Key, indent)
		switch v := field.Value.(type) {
		case Map:
			if len(v) > 0 {
				dst = appendSpaces(append(dst, '\n'), indent+indentation)
				dst = appendMap(dst, v, indent+indentation)
				continue
			}
		case List:
			if len(v) > 0 {
				dst = appendSpaces(append(dst, '\n'), indent)
				dst = appendList(dst, v, indent)
				continue
			}
		}
		dst = appendInline(append(dst, ' '), field.Value, indent+indentation)
	}
	return dst
}

// appendList writes the elements, one a line; the cursor is where the first dash goes.
func appendList(dst []byte, l List, indent int) []byte {
	for i, element := range l {
		if i > 0 {
			dst = appendSpaces(dst, indent)
		}
		dst = append(dst, '-', ' ')
		switch v := element.(type) {
		case Map:
			if len(v) > 0 {
				dst = appendMap(dst, v, indent+indentation)
				continue
			}
		case List:
			if len(v) > 0 {
				dst = appendList(dst, v, indent+indentation)
				continue
			}
		}
		dst = appendInline(dst, element, indent+indentation)
	}
	return dst
}

// appendInline writes a value that begins on the current line, and the line's end. A block scalar's lines are indented.
func appendInline(dst []byte, v Value, indent int) []byte {
	switch v := v.(type) {
	case String:
		return appendString(dst, string(v), max(indent, indentation))
	case Int:
		dst = strconv.AppendInt(dst, int64(v), 10)
	case Bool:
		dst = strconv.AppendBool(dst, bool(v))
	case Map:
		dst = append(dst, "{}"...)
	case List:
		dst = append(dst, "[]"...)
	default:
		dst = append(dst, "null"...)
	}
	return append(dst, '\n')
}

func appendKey(dst []byte, key string, indent int) []byte {
	start := len(dst)
	dst = appendFlow(dst, key)
	if len(dst)-start <= longestKey {
		return append(dst, ':')
	}
	printed := string(dst[start:])
	dst = append(append(dst[:start], "? "...), printed...)
	return append(appendSpaces(append(dst, '\n'), indent), ':')
}

func appendSpaces(dst []byte, n int) []byte {
	const spaces = "                                "
	for ; n > len(spaces); n -= len(spaces) {
		dst = append(dst, spaces...)
	}
	return append(dst, spaces[:n]...)
}
