package yamlprint

import (
	"reflect"
	"unicode/utf8"
)

// AppendJSON appends an object as canonical JSON: keys sorted, no blanks, the fewest escapes. Equal objects have equal
// bytes, so that hashes are taken of it.
func AppendJSON(dst []byte, object any) []byte { return printed(dst, object, (*printer).json) }

func (p *printer) json(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		p.out = appendJSONString(p.out, v.String())
	case reflect.Struct, reflect.Map:
		p.out = append(p.out, '{')
		from, to := p.enter(v)
		for i := from; i < to; i++ {
			if i > from {
				p.out = append(p.out, ',')
			}
			p.out = append(appendJSONString(p.out, p.open[i].key), ':')
			p.json(p.open[i].value)
		}
		p.leave(from)
		p.out = append(p.out, '}')
	case reflect.Slice:
		p.out = append(p.out, '[')
		for i := range v.Len() {
			if i > 0 {
				p.out = append(p.out, ',')
			}
			p.json(resolve(v.Index(i)))
		}
		p.out = append(p.out, ']')
	default:
		p.out = appendPlain(p.out, v)
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

// appendEscape writes a character as JSON and YAML both escape it.
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
	}
	escape, digits := `\u`, 4
	if r > 0xffff {
		escape, digits = `\U`, 8 // YAML alone
	}
	dst = append(dst, escape...)
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		dst = append(dst, "0123456789abcdef"[r>>shift&0xf])
	}
	return dst
}
