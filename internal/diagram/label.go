package diagram

import (
	"strings"
	"unicode"
)

// longest is the number of columns of a label that are shown. The names of valid plugins are shorter.
const longest = 40

// label makes one short line of a name: unprintable characters, including line breaks and marks that change the
// direction of text, are replaced, and long names are cut.
func label(name string) string {
	var b strings.Builder
	columns := 0
	for _, r := range name {
		if !unicode.IsPrint(r) {
			r = unicode.ReplacementChar
		}
		if columns += cells(r); columns > longest {
			return b.String() + "…"
		}
		b.WriteRune(r)
	}
	return b.String()
}

// cells is the highest number of columns of a monospace font that a character takes. Fonts take missing characters from
// others, so every character beyond Latin letters counts as a wide one.
func cells(r rune) int {
	const endOfLatin = 0x250
	if r < endOfLatin || r == '…' || r == '→' || r == '←' {
		return 1
	}
	return 2
}

// columnsOf is the highest number of columns that a text takes.
func columnsOf(text string) int {
	columns := 0
	for _, r := range text {
		columns += cells(r)
	}
	return columns
}
