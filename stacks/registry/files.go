package registry

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// Folder is the folder of a package for crossplane v0.3 to v0.10, in a repository or at the root of an image.
const Folder = ".registry"

// Is reports whether a folder has app.yaml, which a `.registry` folder must have, regardless of the folder's name.
func Is(folder fs.FS) bool {
	_, err := fs.Stat(folder, appFile)
	return err == nil
}

// Files maps the paths of a package's files to their content. Paths are relative to the package's folder, clean and
// slash-separated.
type Files map[string][]byte

// Paths returns the paths in the order in which filepath.Walk visits them.
func (f Files) Paths() []string {
	return slices.SortedFunc(maps.Keys(f), func(a, b string) int {
		return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
	})
}

// isBelow reports whether a file is in a folder, or in a folder below it. The folder of all files is ".".
func isBelow(folder, file string) bool {
	return folder == "." || strings.HasPrefix(file, folder+"/")
}

// depth returns the number of folders above a file.
func depth(file string) int {
	if dir := path.Dir(file); dir != "." {
		return strings.Count(dir, "/") + 1
	}
	return 0
}
