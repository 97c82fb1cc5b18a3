package diagram

import (
	"bytes"
	_ "embed" // the template
	"fmt"
	"strings"
)

// Mermaid's default limits, which GitHub keeps (config.schema.yaml, maxTextSize and maxEdges): beyond them a page shows
// an error in place of the picture.
const (
	mermaidText  = 50_000
	mermaidEdges = 500
)

// MermaidTooLarge reports whether a drawing exceeds Mermaid's default limits.
func MermaidTooLarge(drawing []byte) bool {
	edges := bytes.Count(drawing, []byte("--> ")) + bytes.Count(drawing, []byte(".-> "))
	return len(drawing) > mermaidText || edges > mermaidEdges
}

// mermaid draws a subgraph for each plugin, and in it one for each phase.
//
//go:embed mermaid.tmpl
var mermaid string

// quoteMermaid writes lines as a label.
func quoteMermaid(lines ...string) string {
	escaped := make([]string, len(lines))
	for i, line := range lines {
		escaped[i] = escapeMermaid(line)
	}
	return `"` + strings.Join(escaped, "<br/>") + `"`
}

// escapeMermaid escapes a text so that Mermaid shows it unchanged. Mermaid reads quoted text as Markdown and HTML,
// looks for %%{ and for addresses like a@b.c in it, and escapes with #CODE;. So all characters are escaped except
// letters, digits, blanks, and signs that join two of these.
func escapeMermaid(text string) string {
	var b strings.Builder
	runes := []rune(text)
	web := strings.Contains(strings.ToLower(text), "www.")
	for i, r := range runes {
		inner := i > 0 && i+1 < len(runes)
		if isPlain(r) || inner && isPlainBetween(runes[i-1], r, runes[i+1], web) {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, "#%d;", r)
	}
	return b.String()
}

// isPlain reports whether Mermaid shows the rune unchanged in every position.
func isPlain(r rune) bool { return isWord(r) || r == '→' || r == '…' }

// isPlainBetween reports whether Mermaid shows the rune unchanged between its neighbours: a blank that does not follow
// a blank, or a sign that joins two words, except a dot in a text with a web address, which becomes a link.
func isPlainBetween(before, r, after rune, web bool) bool {
	switch r {
	case ' ':
		return before != ' '
	case '-', '_':
		return isWord(before) && isWord(after)
	case '.':
		return !web && isWord(before) && isWord(after)
	}
	return false
}

func isWord(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}
