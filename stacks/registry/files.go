package registry

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// Folder is the folder of a package of crossplane v0.3 to v0.10, in a repository or at the root of an image.
const Folder = ".registry"

// Is reports whether a folder has what a `.registry` folder must have, whatever its name.
func Is(folder fs.FS) bool {
	_, err := fs.Stat(folder, appFile)
	return err == nil
}

// Files are the files of a package: their content by their path below the package's folder. Paths are relative, cleaned,
// and have slashes.
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

// depth is how many folders are above a file.
func depth(file string) int {
	if dir := path.Dir(file); dir != "." {
		return strings.Count(dir, "/") + 1
	}
	return 0
}
