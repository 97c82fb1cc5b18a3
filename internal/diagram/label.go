package diagram

import (
	"strings"
	"unicode"
)

// longest is how many columns of a label are shown. The names of valid plugins are shorter.
const longest = 40

// label makes one short line of a name: what cannot be printed, line ends and marks that turn the direction of writing
// among it, is replaced, and what is too long is cut.
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

// cells is how many columns of a monospace font a character takes at most. Fonts fill in what they lack from others, so
// beyond Latin letters every character counts as a wide one.
func cells(r rune) int {
	const endOfLatin = 0x250
	if r < endOfLatin || r == '…' || r == '→' || r == '←' {
		return 1
	}
	return 2
}

// columnsOf is how many columns a text takes at most.
func columnsOf(text string) int {
	columns := 0
	for _, r := range text {
		columns += cells(r)
	}
	return columns
}
