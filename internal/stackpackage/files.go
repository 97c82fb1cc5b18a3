package stackpackage

import (
	"maps"
	"slices"
	"strings"
)

// Files are files in memory, by their paths: relative, clean, with slashes.
type Files map[string][]byte

// Paths returns the paths in the order in which filepath.Walk visits them: sorted element by element.
func (f Files) Paths() []string {
	return slices.SortedFunc(maps.Keys(f), func(a, b string) int {
		return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
	})
}
