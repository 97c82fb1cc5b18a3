package build

import (
	"path/filepath"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/atomicfile"
)

// diff returns the changes as a unified diff, the first lines of it. Names are those from the working directory, so that
// `git apply` finds the files.
func (f Folder) diff(changes []change) []byte {
	all := make([]atomicfile.Change, len(changes))
	for i, c := range changes {
		name := strings.TrimPrefix(filepath.ToSlash(filepath.Join(f.Folder, c.name)), "/")
		all[i] = atomicfile.Change{Path: name, Before: c.before, After: c.after}
	}
	return atomicfile.Diff(all)
}
