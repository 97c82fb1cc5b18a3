package externalplugin

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// CheckPath returns what is wrong with the path of a file in a response, empty if nothing is. It must stay in the project
// on every operating system, and out of the repository of git.
func CheckPath(name string) string {
	switch {
	case name == "":
		return "must not be empty"
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return fmt.Sprintf("must be text without control characters, not %q", name)
	case strings.Contains(name, `\`):
		return fmt.Sprintf("must have slashes between folders, not %q", name)
	case path.IsAbs(name) || !filepath.IsLocal(filepath.FromSlash(name)) || strings.Contains(name, ":"):
		return fmt.Sprintf("must be a path below the project's folder, not %q", name)
	case path.Clean(name) != name:
		return fmt.Sprintf("must be the shortest path, %q, not %q", path.Clean(name), name)
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.EqualFold(part, ".git") {
			return fmt.Sprintf("must not be in a folder of git, as %q is", name)
		}
	}
	return ""
}
