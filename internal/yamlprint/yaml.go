package yamlprint

import (
	"reflect"
	"strconv"
)

// indentation of one level, in spaces.
const indentation = 2

// longestKey is how long a key may be, as printed, to stand before its colon: YAML readers give up after 1,024
// characters.
const longestKey = 1000

// AppendYAML appends an object as a YAML document that ends in a newline: block style, indented by two spaces, lists not
// indented further than the key that holds them.
func AppendYAML(dst []byte, object any) []byte {
	return printed(dst, object, func(p *printer, v reflect.Value) {
		if !p.block(v, 0) {
			p.inline(v, 0)
		}
	})
}

// block writes the entries of a mapping or list, one a line; the cursor is where the first one goes. It returns false, and
// writes nothing, for what stands on one line.
func (p *printer) block(v reflect.Value, indent int) bool {
	switch v.Kind() {
	case reflect.Struct, reflect.Map:
		from, to := p.enter(v)
		for i := from; i < to; i++ {
			if i > from {
				p.out = appendSpaces(p.out, indent)
			}
			p.field(p.open[i], indent)
		}
		p.leave(from)
		return to > from
	case reflect.Slice:
		for i := range v.Len() {
			if i > 0 {
				p.out = appendSpaces(p.out, indent)
			}
			p.out = append(p.out, '-', ' ')
			if element := resolve(v.Index(i)); !p.block(element, indent+indentation) {
				p.inline(element, indent+indentation)
			}
		}
		return v.Len() > 0
	default:
		return false
	}
}

func (p *printer) field(field entry, indent int) {
	p.out = appendKey(p.out, field.key, indent)
	below := indent + indentation
	if field.value.Kind() == reflect.Slice {
		below = indent
	}
	before := len(p.out)
	p.out = appendSpaces(append(p.out, '\n'), below)
	if !p.block(field.value, below) {
		p.out = append(p.out[:before], ' ')
		p.inline(field.value, indent+indentation)
	}
}

// inline writes a value that begins on the current line, and the line's end. A block scalar's lines are indented.
func (p *printer) inline(v reflect.Value, indent int) {
	switch v.Kind() {
	case reflect.String:
		p.out = appendString(p.out, v.String(), max(indent, indentation))
		return
	case reflect.Struct, reflect.Map:
		p.out = append(p.out, "{}"...)
	case reflect.Slice:
		p.out = append(p.out, "[]"...)
	default:
		p.out = appendPlain(p.out, v)
	}
	p.out = append(p.out, '\n')
}

// appendPlain writes a number, a boolean or null, which are the same in YAML and JSON.
func appendPlain(dst []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Bool:
		return strconv.AppendBool(dst, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(dst, v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.AppendUint(dst, v.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		return append(dst, marshalled(v)...)
	default:
		return append(dst, "null"...)
	}
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
