package validate

import (
	"strconv"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

const (
	namePath        krm.Path = "metadata.name"
	descriptionPath krm.Path = "spec.description"
	clusterPath     krm.Path = "spec.cluster"
)

func forkPath(i int) krm.Path     { return krm.Path("spec.forks").Index(i) }
func localPath(i int) krm.Path    { return krm.Path("spec.local").Index(i) }
func endpointPath(i int) krm.Path { return krm.Path("spec.endpoints").Index(i) }
func resourcePath(i int) krm.Path { return krm.Path("spec.resources").Index(i) }

// split cuts the last step off a path: a key as written in the document, or an index in brackets.
func split(path krm.Path) (parent krm.Path, last string) {
	text := string(path)
	switch {
	case strings.HasSuffix(text, `"]`):
		for at := 0; at < len(text); at++ {
			quoted, err := strconv.QuotedPrefix(text[at+1:])
			if text[at] == '[' && err == nil && at+1+len(quoted)+1 == len(text) {
				last, _ = strconv.Unquote(quoted)
				return krm.Path(text[:at]), last
			}
		}
	case strings.HasSuffix(text, "]"):
		at := strings.LastIndexByte(text, '[')
		return krm.Path(text[:at]), text[at:]
	}
	at := strings.LastIndexByte(text, '.')
	return krm.Path(text[:max(at, 0)]), text[at+1:]
}

// pattern returns a path without its indexes.
func pattern(path krm.Path) string {
	var b strings.Builder
	inside := false
	for _, r := range string(path) {
		inside = inside && r != ']'
		if !inside {
			b.WriteRune(r)
		}
		inside = inside || r == '['
	}
	return b.String()
}

// rename is a former key whose value was read: rules use the current path, and results the path in the document.
type rename struct{ current, written krm.Path }

// renamed lists the former keys that were read, outer ones first.
func renamed(problems []strictyaml.Problem) []rename {
	var renames []rename
	for _, p := range problems {
		if p.ReplacedBy != "" {
			parent, _ := split(p.Path)
			renames = append(renames, rename{current: parent.Key(p.ReplacedBy), written: p.Path})
		}
	}
	return renames
}

// written returns a path as it is in the document.
func (c *Document) written(path krm.Path) krm.Path {
	for _, r := range c.renames {
		rest, below := strings.CutPrefix(string(path), string(r.current))
		if below && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			path = r.written + krm.Path(rest)
		}
	}
	return path
}
