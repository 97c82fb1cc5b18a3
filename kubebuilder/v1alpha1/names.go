package v1alpha1

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// The suffixes of files with recorded messages: NAME.request.json and NAME.response.json are an exchange.
const (
	RequestFile  = ".request.json"
	ResponseFile = ".response.json"
)

// pluginVersion matches versions of external plugins. Kubebuilder also reads 1 and v01 as v1: a project would refer to
// another folder.
// https://github.com/kubernetes-sigs/kubebuilder/blob/v4.15.0/pkg/plugin/version.go
var pluginVersion = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^v(0|[1-9][0-9]*)(-alpha|-beta)?$`)
})

// CheckPluginVersion returns the problem of an external plugin's version, or "".
func CheckPluginVersion(text string) string {
	if pluginVersion().MatchString(text) {
		return ""
	}
	return fmt.Sprintf("must be such as v1, v2-alpha or v1-beta, not %q", text)
}

// IsProgram reports whether kubebuilder reads a file as the program of an external plugin: its name is that of the
// plugin, up to the first dot or in full. See DiscoverExternalPlugins:
// https://github.com/kubernetes-sigs/kubebuilder/blob/v4.15.0/pkg/cli/options.go
func IsProgram(file, plugin string) bool {
	base, _, _ := strings.Cut(file, ".")
	return file == plugin || base == plugin
}

// CheckFlagName returns the problem of a flag name of an external plugin, or "".
func CheckFlagName(name string) string {
	if name == "" || strings.HasPrefix(name, "-") || strings.ContainsAny(name, " =") {
		return fmt.Sprintf("must be without hyphens in front, blanks and equals signs, not %q", name)
	}
	return ""
}

// reserved are names that Windows gives to devices, with any extension, whatever their case:
// https://learn.microsoft.com/windows/win32/fileio/naming-a-file
var reserved = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])\s*(\.|$)`)
})

// shortName matches names that Windows gives to files with longer ones: GIT~1 is .git.
var shortName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[^.]{1,6}~[0-9]{1,6}(\.[^.]{0,3})?$`)
})

// CheckUniversePath returns the problem of the path of a file in a message, or "". The path must stay in the project on
// every operating system, and out of the git repository and the state of rplug.
func CheckUniversePath(name string) string {
	switch {
	case name == "":
		return "must not be empty"
	case !utf8.ValidString(name) || strings.ContainsFunc(name, isInvisible):
		return fmt.Sprintf("must be text without control characters, not %q", name)
	case strings.Contains(name, `\`):
		return fmt.Sprintf("must have slashes between folders, not %q", name)
	case path.IsAbs(name) || !isLocal(name) || strings.Contains(name, ":"):
		return fmt.Sprintf("must be a path below the project's folder, not %q", name)
	case path.Clean(name) != name:
		return fmt.Sprintf("must be the shortest path, %q, not %q", path.Clean(name), name)
	}
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case strings.EqualFold(part, ".git"):
			return fmt.Sprintf("must not be in a folder of git, as %q is", name)
		case strings.EqualFold(part, ".rplug"):
			return fmt.Sprintf("must not be in a folder of rplug, as %q is", name)
		case strings.ContainsAny(part, `<>"|?*`) || strings.HasSuffix(part, ".") || strings.HasSuffix(part, " "),
			reserved().MatchString(part), shortName().MatchString(part):
			return fmt.Sprintf("must be a path that Windows keeps as it is, not %q", name)
		}
	}
	return ""
}

// isInvisible reports whether a character cannot be seen, and some file systems ignore it: .g\u200cit is .git on HFS+.
func isInvisible(r rune) bool {
	return unicode.IsControl(r) ||
		unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// isLocal reports whether a path stays in its folder. Unlike filepath.IsLocal it gives the same answer on every system.
func isLocal(name string) bool {
	clean := path.Clean(name)
	return clean != "." && clean != ".." && !strings.HasPrefix(clean, "../")
}
