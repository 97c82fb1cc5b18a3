package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// A runner of GitHub Actions reads workflow commands from the lines of a step's log: `::NAME::` at the beginning of a line,
// behind blanks, and `##[NAME]` anywhere in it. Commands hide and forge lines, and change later steps, so that no text from
// a document may become one (https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands).
const (
	lineCommand  = "::"
	innerCommand = "##["
)

// WithoutCommands returns a text of several lines in which a runner of GitHub Actions finds no workflow commands: the colon
// or the number sign of one is escaped.
func WithoutCommands(text string) string { return replaceCommands(text, `\x3a`, `\x23`) }

// replaceCommands replaces the first colon, or the second number sign, of each command.
func replaceCommands(text, colon, sign string) string {
	if !strings.Contains(text, lineCommand) && !strings.Contains(text, innerCommand) {
		return text
	}
	var safe strings.Builder
	for text != "" {
		line := text
		if end := strings.IndexAny(text, "\n\r"); end >= 0 {
			line = text[:end+1]
		}
		text = text[len(line):]
		rest := strings.TrimLeftFunc(line, unicode.IsSpace)
		if strings.HasPrefix(rest, lineCommand) {
			safe.WriteString(line[:len(line)-len(rest)])
			line = colon + rest[1:]
		}
		safe.WriteString(strings.ReplaceAll(line, innerCommand, "#"+sign+"["))
	}
	return safe.String()
}

// LogWriter is a writer of a log that a runner of GitHub Actions reads: it writes no workflow commands.
type LogWriter struct {
	out     io.Writer
	pending []byte // a line that has not ended
	isPlain bool   // control characters are escaped
}

// NewLogWriter returns a writer to out. Call Flush when all is written.
func NewLogWriter(out io.Writer) *LogWriter { return &LogWriter{out: out} }

// NewPlainWriter returns a writer for the output of another program: besides commands, control characters except tabs
// and line ends are escaped, so that the program cannot control the terminal.
func NewPlainWriter(out io.Writer) *LogWriter { return &LogWriter{out: out, isPlain: true} }

// safe returns a text of whole lines as it is written.
func (w *LogWriter) safe(text []byte) string {
	if !w.isPlain {
		return WithoutCommands(string(text))
	}
	var plain strings.Builder
	for line := range strings.SplitAfterSeq(string(text), "\n") {
		content, isWhole := strings.CutSuffix(line, "\n")
		content = strings.TrimSuffix(content, "\r")
		for i, part := range strings.Split(content, "\t") {
			if i > 0 {
				plain.WriteByte('\t')
			}
			plain.WriteString(Printable(part))
		}
		if isWhole {
			plain.WriteByte('\n')
		}
	}
	return WithoutCommands(plain.String())
}

// Write writes the lines that have ended, and keeps the rest.
func (w *LogWriter) Write(text []byte) (int, error) {
	w.pending = append(w.pending, text...)
	ends := "\n\r"
	if w.isPlain {
		ends = "\n"
	}
	end := bytes.LastIndexAny(w.pending, ends) + 1
	if end == 0 {
		return len(text), nil
	}
	_, err := io.WriteString(w.out, w.safe(w.pending[:end]))
	w.pending = append(w.pending[:0], w.pending[end:]...)
	return len(text), err
}

// Flush writes the rest.
func (w *LogWriter) Flush() error {
	_, err := io.WriteString(w.out, w.safe(w.pending))
	w.pending = nil
	return err
}

// ForLog returns the standard error output of a program: on a runner of GitHub Actions, which sets GITHUB_ACTIONS, it has no
// workflow commands. Call flush when all is written.
func ForLog(stderr io.Writer, environment func(string) string) (safe io.Writer, flush func()) {
	if environment("GITHUB_ACTIONS") != "true" {
		return stderr, func() {}
	}
	log := NewLogWriter(stderr)
	return log, func() { _ = log.Flush() }
}

// WriteJSON writes a value as indented JSON that may be printed in a terminal or a log: in strings, workflow commands are
// escaped, and so are control and format characters that an encoder leaves as they are, such as U+0085, which ends a line
// for some programs, and U+202E, which reverses the text behind it in a terminal.
func WriteJSON(out io.Writer, value any) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return err
	}
	_, err := out.Write(escapeControls([]byte(replaceCommands(text.String(), ":", `\u0023`))))
	return err
}

func escapeControls(encoded []byte) []byte {
	if bytes.IndexFunc(encoded, isRawControl) < 0 {
		return encoded
	}
	escaped := make([]byte, 0, len(encoded)+64)
	for len(encoded) > 0 {
		r, size := utf8.DecodeRune(encoded)
		if isRawControl(r) {
			escaped = appendEscape(escaped, r)
		} else {
			escaped = append(escaped, encoded[:size]...)
		}
		encoded = encoded[size:]
	}
	return escaped
}

// isRawControl reports whether a character is escaped. Line breaks of the indentation stay.
func isRawControl(r rune) bool {
	return r >= 0x7f && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// appendEscape appends the escape sequences of JSON for a character.
func appendEscape(to []byte, r rune) []byte {
	for _, unit := range utf16.AppendRune(nil, r) {
		to = fmt.Appendf(to, `\u%04x`, unit)
	}
	return to
}
