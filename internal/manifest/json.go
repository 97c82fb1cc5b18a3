package manifest

import (
	"strconv"
	"unicode/utf8"
)

// AppendJSON appends the tree as canonical JSON: keys sorted, no blanks, the fewest escapes. Equal trees have equal
// bytes, so that hashes are taken of it.
func AppendJSON(dst []byte, v Value) []byte {
	switch v := v.(type) {
	case String:
		return appendJSONString(dst, string(v))
	case Int:
		return strconv.AppendInt(dst, int64(v), 10)
	case Bool:
		return strconv.AppendBool(dst, bool(v))
	case Map:
		dst = append(dst, '{')
		for i, field := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendJSONString(dst, field.Key), ':')
			dst = AppendJSON(dst, field.Value)
		}
		return append(dst, '}')
	case List:
		dst = append(dst, '[')
		for i, element := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendJSON(dst, element)
		}
		return append(dst, ']')
	default:
		return append(dst, "null"...)
	}
}

func appendJSONString(dst []byte, text string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if c < utf8.RuneSelf || r == utf8.RuneError && size == 1 {
			dst = appendEscape(append(dst, text[start:i]...), r)
			start = i + size
		}
		i += size
	}
	return append(append(dst, text[start:]...), '"')
}

func appendEscape(dst []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(dst, '\\', byte(r))
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	default:
		return appendHex(append(dst, `\u`...), r, 4)
	}
}
