// Package form says what the names, keys and paths in documents must look like: what the specs and Kubernetes ask of a
// text, whatever it is for. Each check returns what is wrong with a value, in words with "must", and nothing where it is
// right. An empty text passes: whether one must be given is another rule.
package form

import (
	"fmt"
	"path"
	"strings"
)

// MaxIdentifier is the longest name of a step, an input or an output (ResourcePlugin CRD), and of a sandbox (Sandbox spec,
// name).
const MaxIdentifier = 30

// Identifier checks `^[a-zA-Z]([a-zA-Z0-9-]*[a-zA-Z0-9])?$` with at most MaxIdentifier bytes.
func Identifier(text string) string {
	switch {
	case text == "":
		return ""
	case len(text) > MaxIdentifier:
		return fmt.Sprintf("must have at most %d characters, not %d: shorten %q", MaxIdentifier, len(text), text)
	case !letter(text[0]):
		return fmt.Sprintf("must start with a letter, not as %q does", text)
	case strings.IndexFunc(text, func(r rune) bool { return !Alphanumeric(r) && r != '-' }) >= 0:
		return fmt.Sprintf("must hold letters, digits and dashes only, not as %q does", text)
	case text[len(text)-1] == '-':
		return fmt.Sprintf("must end in a letter or a digit, not as %q does", text)
	}
	return ""
}

// Key checks a key of a ConfigMap or a Secret (Kubernetes API validation).
func Key(text string) string {
	odd := func(r rune) bool { return !Alphanumeric(r) && r != '-' && r != '_' && r != '.' }
	switch {
	case text == "":
		return ""
	case len(text) > 253:
		return fmt.Sprintf("must have at most 253 characters, not %d", len(text))
	case strings.IndexFunc(text, odd) >= 0:
		return fmt.Sprintf("must hold letters, digits, dashes, underscores and dots only, not as %q does", text)
	case text == "." || strings.HasPrefix(text, ".."):
		return fmt.Sprintf("must not be %q", text)
	}
	return ""
}

// Variable checks `[-._a-zA-Z][-._a-zA-Z0-9]*`, not `.` or anything that starts with `..`.
func Variable(name string) string {
	odd := func(r rune) bool { return !Alphanumeric(r) && r != '-' && r != '_' && r != '.' }
	switch {
	case name == "":
		return ""
	case strings.IndexFunc(name, odd) >= 0:
		return fmt.Sprintf("variable must hold letters, digits, underscores, dashes and dots only, not as %q does", name)
	case name[0] >= '0' && name[0] <= '9':
		return fmt.Sprintf("variable must not start with a digit as %q does", name)
	case name == "." || strings.HasPrefix(name, ".."):
		return fmt.Sprintf("variable must not be %q", name)
	}
	return ""
}

// File checks an absolute path of a file in a container.
func File(text string) string {
	switch {
	case text == "":
		return ""
	case !strings.HasPrefix(text, "/"):
		return fmt.Sprintf("must be an absolute path, not %q: begin with a slash", text)
	case strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) >= 0:
		return fmt.Sprintf("must not hold control characters as %q does", text)
	case strings.Contains(text+"/", "/../"):
		return fmt.Sprintf("must not hold .. as %q does", text)
	case strings.HasSuffix(text, "/") || path.Clean(text) == "/" || strings.HasSuffix(text, "/."):
		return fmt.Sprintf("must name a file, not a folder such as %q", text)
	}
	return ""
}

// Alphanumeric tells whether a character is an ASCII letter or digit.
func Alphanumeric(r rune) bool {
	return r < 0x80 && (letter(byte(r)) || r >= '0' && r <= '9')
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
