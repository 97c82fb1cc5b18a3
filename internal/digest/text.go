package digest

import (
	"fmt"
	"strings"
)

// quote writes a string as RFC 8785 (3.2.2.2) does.
func (w *writer) quote(text string) {
	w.raw(`"`)
	start := 0
	for i := range len(text) {
		if escaped := escape(text[i]); escaped != "" {
			w.raw(text[start:i])
			w.raw(escaped)
			start = i + 1
		}
	}
	w.raw(text[start:])
	w.raw(`"`)
}

// escape returns what stands for a byte in a JSON string, empty where it stands for itself.
func escape(c byte) string {
	switch {
	case c >= ' ' && c != '"' && c != '\\':
		return ""
	case c == '"':
		return `\"`
	case c == '\\':
		return `\\`
	}
	if i := strings.IndexByte("\b\t\n\f\r", c); i >= 0 {
		return `\` + "btnfr"[i:i+1]
	}
	return fmt.Sprintf(`\u%04x`, c)
}
