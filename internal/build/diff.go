package build

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/pmezard/go-difflib/difflib"
)

// How much of a diff is made: nobody reads more, and a diff of large texts takes long.
const (
	maxDiffLines = 500
	maxFileLines = 5000
	contextLines = 3
)

// diff returns the changes as a unified diff, the first lines of it.
func (f Folder) diff(changes []change) []byte {
	var out bytes.Buffer
	for i, c := range changes {
		if bytes.Count(out.Bytes(), []byte("\n")) >= maxDiffLines {
			fmt.Fprintf(&out, "# %d more files differ\n", len(changes)-i)
			break
		}
		f.diffFile(&out, c)
	}
	return out.Bytes()
}

// diffFile writes how one file changes.
func (f Folder) diffFile(out *bytes.Buffer, c change) {
	name := filepath.ToSlash(filepath.Join(f.Folder, c.name))
	before, after := lines(c.before), lines(c.after)
	from, to := name, name
	if c.before == nil {
		from = "/dev/null"
	}
	if c.after == nil {
		to = "/dev/null"
	}
	if len(before) > maxFileLines || len(after) > maxFileLines {
		fmt.Fprintf(out, "--- %s\n+++ %s\n# %d and %d lines, too many to compare\n", from, to, len(before), len(after))
		return
	}
	text, _ := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{A: before, B: after, FromFile: from, ToFile: to,
		Context: contextLines}) // the error is that of a writer
	for n, line := range lines([]byte(text)) {
		if n == maxDiffLines {
			fmt.Fprintf(out, "# %s has more differences\n", name)
			return
		}
		out.WriteString(line)
	}
}

// lines returns the lines of a text, each with its end.
func lines(text []byte) []string {
	var all []string
	for line := range bytes.Lines(text) {
		all = append(all, string(line))
	}
	return all
}
