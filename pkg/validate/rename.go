package validate

import (
	"strings"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// rename is a former key whose value was read: rules speak of today's path, the user must be told the written one.
type rename struct{ today, written krm.Path }

// renamed lists the former keys that were read, the outer ones first.
func renamed(problems []strictyaml.Problem) []rename {
	var renames []rename
	for _, p := range problems {
		if p.ReplacedBy != "" {
			parent, _ := split(p.Path)
			renames = append(renames, rename{today: parent.Key(p.ReplacedBy), written: p.Path})
		}
	}
	return renames
}

// written returns the path as the document has it.
func (c *check) written(path krm.Path) krm.Path {
	for _, r := range c.renames {
		rest, below := strings.CutPrefix(string(path), string(r.today))
		if below && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			path = r.written + krm.Path(rest)
		}
	}
	return path
}
