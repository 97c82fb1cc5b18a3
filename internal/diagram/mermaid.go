package diagram

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
)

// The limits of Mermaid's own defaults, which GitHub keeps (config.schema.yaml, maxTextSize and maxEdges): beyond them a
// page shows an error in place of the picture.
const (
	mermaidText  = 50_000
	mermaidEdges = 500
)

// MermaidTooLarge reports whether Mermaid refuses, by its defaults, to show what Draw drew.
func MermaidTooLarge(drawing []byte) bool {
	edges := bytes.Count(drawing, []byte("--> ")) + bytes.Count(drawing, []byte(".-> "))
	return len(drawing) > mermaidText || edges > mermaidEdges
}

// drawMermaid draws a flowchart with a subgraph for each plugin, and in it one for each phase.
func drawMermaid(pictures []*Picture) []byte {
	var b bytes.Buffer
	b.WriteString("flowchart LR\n")
	for n, p := range pictures {
		m := mermaid{Buffer: &b, Picture: p, plugin: fmt.Sprintf("p%d", n+1)}
		m.draw()
	}
	return b.Bytes()
}

// mermaid writes the subgraph of one plugin, whose identifiers start with the plugin's.
type mermaid struct {
	*bytes.Buffer
	*Picture
	plugin string
}

func (m *mermaid) draw() {
	m.line(1, "subgraph %s[%s]", m.plugin, quoteMermaid(m.Title))
	for _, phase := range v1alpha1.Phases {
		if steps := m.phase(phase); len(steps) > 0 {
			m.line(2, "subgraph %s_%s[%s]", m.plugin, phase, quoteMermaid(string(phase)))
			for _, i := range steps {
				m.line(3, "%s[%s]", m.step(i), quoteMermaid(m.Steps[i].Name))
			}
			m.line(2, "end")
		}
	}
	for i, param := range m.params() {
		id := fmt.Sprintf("%s_in%d", m.plugin, i+1)
		m.line(2, "%s([%s])", id, quoteMermaid("param "+param.name))
		for _, to := range param.steps {
			m.line(2, "%s --> %s", id, m.step(to))
		}
	}
	for _, bundle := range m.bundles() {
		m.bundle(bundle)
	}
	number := 0
	for i, step := range m.Steps {
		for _, output := range step.Outputs {
			if !output.Read {
				number++
				id := fmt.Sprintf("%s_out%d", m.plugin, number)
				m.line(2, "%s --> %s>%s]", m.step(i), id, quoteMermaid(step.Name+"."+output.Name))
			}
		}
	}
	m.line(1, "end")
}

func (m *mermaid) bundle(b bundle) {
	texts := make([]string, len(b.reads))
	for i, read := range b.reads {
		texts[i] = escapeMermaid(read)
	}
	line := "%s -- \"%s\" --> %s"
	if b.across {
		line = "%s -. \"%s\" .-> %s"
	}
	m.line(2, line, m.step(b.from), strings.Join(texts, "<br/>"), m.step(b.to))
}

func (m *mermaid) step(i int) string { return fmt.Sprintf("%s_s%d", m.plugin, i+1) }

func (m *mermaid) line(depth int, format string, args ...any) {
	m.WriteString(strings.Repeat("  ", depth))
	fmt.Fprintf(m, format+"\n", args...)
}

func quoteMermaid(text string) string { return `"` + escapeMermaid(text) + `"` }

// escapeMermaid writes a text so that Mermaid shows it as it is. Mermaid reads quoted text as Markdown and HTML, looks for
// %%{ and for an address like a@b.c in it, and escapes with #CODE;. So all that is not a letter, a digit, a blank, or a
// sign that joins two of these is escaped.
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

// isPlain reports whether Mermaid shows the rune as it is wherever it stands.
func isPlain(r rune) bool { return isWord(r) || r == '→' || r == '…' }

// isPlainBetween reports whether Mermaid shows the rune as it is between its neighbours: a blank behind none, or a sign
// that joins two words; a dot is none in a text with a web address, which becomes a link.
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
