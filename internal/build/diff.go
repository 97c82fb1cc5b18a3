package build

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/atomicfile"
	"github.com/resource-plugins/krm-functions/internal/report"
)

// diff returns the first lines of the changes as a unified diff, below a summary. Names are relative to the working
// directory, so that `git apply`, which skips the summary, finds the files.
func (f *Folder) diff(changes []change) ([]byte, error) {
	if len(changes) == 0 {
		return nil, nil
	}
	all, err := f.texts(changes)
	if err != nil {
		return nil, err
	}
	return slices.Concat(f.summary(all), atomicfile.Diff(all)), nil
}

// texts returns the texts of files before and after their changes.
func (f *Folder) texts(changes []change) ([]atomicfile.Change, error) {
	all := make([]atomicfile.Change, len(changes))
	for i, c := range changes {
		name := strings.TrimPrefix(filepath.ToSlash(filepath.Join(f.Folder, c.name)), "/")
		before, after, err := f.textsOf(&c)
		if err != nil {
			return nil, err
		}
		all[i] = atomicfile.Change{Path: name, Before: before, After: after}
	}
	return all, nil
}

// summary counts the lines of the first changes: one changed line of a script changes names in many places.
func (f *Folder) summary(changes []atomicfile.Change) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s out of date: rplug diff %s PATH... shows which steps run again\n",
		report.Count(len(changes), "file"), f.Folder)
	for i, c := range changes {
		if i == maxReported {
			fmt.Fprintf(&out, "# and %s\n", report.Count(len(changes)-i, "other file"))
			break
		}
		_, lines, _ := bytes.Cut(atomicfile.Diff([]atomicfile.Change{c}), []byte("\n+++ "))
		added, removed := bytes.Count(lines, []byte("\n+")), bytes.Count(lines, []byte("\n-"))
		fmt.Fprintf(&out, "# %s %s: %d lines added, %d removed\n", c.Verb(), c.Path, added, removed)
	}
	return out.Bytes()
}
