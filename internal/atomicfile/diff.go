package atomicfile

import (
	"bytes"
	"fmt"
	"io"

	"github.com/pmezard/go-difflib/difflib"
)

// Change is the change of one file.
type Change struct {
	// Path is that of the file from the folder, with slashes.
	Path string
	// Before is the content of the file, nil for a new file; After is the new one, nil if the file is removed.
	Before, After []byte
}

// Verb returns create, change or remove.
func (c Change) Verb() string {
	switch {
	case c.Before == nil:
		return "create"
	case c.After == nil:
		return "remove"
	}
	return "change"
}

// How much of a diff is made: no one reads more, and a diff of large texts takes long.
const (
	maxDiffLines = 500
	maxFileLines = 5000
	contextLines = 3
)

// Diff returns changes as a unified diff, of many only the first lines.
func Diff(changes []Change) []byte {
	var out bytes.Buffer
	for i, c := range changes {
		if bytes.Count(out.Bytes(), []byte("\n")) >= maxDiffLines {
			fmt.Fprintf(&out, "# %d more files differ\n", len(changes)-i)
			break
		}
		c.diff(&out)
	}
	return out.Bytes()
}

// diff writes how the file changes.
func (c Change) diff(out *bytes.Buffer) {
	from, to := "a/"+c.Path, "b/"+c.Path
	if c.Before == nil {
		from = "/dev/null"
	}
	if c.After == nil {
		to = "/dev/null"
	}
	before, after := lines(c.Before), lines(c.After)
	if len(before) > maxFileLines || len(after) > maxFileLines {
		fmt.Fprintf(out, "--- %s\n+++ %s\n# %d and %d lines, too many to compare\n", from, to, len(before), len(after))
		return
	}
	text, _ := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: before, B: after, FromFile: from, ToFile: to, Context: contextLines,
	}) // the error is that of a writer
	for n, line := range lines([]byte(text)) {
		if n == maxDiffLines {
			fmt.Fprintf(out, "# %s has more differences\n", c.Path)
			return
		}
		_, _ = io.WriteString(out, line)
	}
}

// lines returns the lines of a text, each with its end. A missing newline at the end is reported as diff(1) does.
func lines(text []byte) []string {
	var all []string
	for line := range bytes.Lines(text) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			line = append(bytes.Clone(line), "\n\\ No newline at end of file\n"...)
		}
		all = append(all, string(line))
	}
	return all
}
