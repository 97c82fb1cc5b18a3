package report

import "bytes"

// Diff colors the lines of a unified diff. The text may come from untrusted files, so it is made printable.
func (s Style) Diff(diff []byte) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(diff) {
		text := Printable(string(bytes.TrimRight(line, "\r\n")))
		color := ""
		switch {
		case bytes.HasPrefix(line, []byte("---")), bytes.HasPrefix(line, []byte("+++")):
			color = bold
		case bytes.HasPrefix(line, []byte("@@")):
			color = blue
		case bytes.HasPrefix(line, []byte("-")):
			color = red
		case bytes.HasPrefix(line, []byte("+")):
			color = green
		}
		if color != "" {
			text = s.paint(color, text)
		}
		out.WriteString(text + "\n")
	}
	return []byte(WithoutCommands(out.String()))
}
