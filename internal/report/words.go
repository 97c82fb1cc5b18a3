package report

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Count is a number with its noun, for summaries: "1 sandbox", "2 sandboxes".
func Count(n int, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "x"):
		noun += "es"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Printable escapes line breaks and control characters, so that a text from a document stays in its line and cannot
// control the terminal.
func Printable(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}

// OneLine joins the lines of a message.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
