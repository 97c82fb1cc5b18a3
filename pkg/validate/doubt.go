package validate

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// doubt knows the places of a document that could not be read. One mistake gives one finding: nothing is concluded from
// what is in doubt.
type doubt struct {
	broken  map[krm.Path]bool // could not be decoded
	parents map[krm.Path]bool // lack a child, since its key or its type is wrong
	strange map[krm.Path]bool // hold a key that nobody knows: what they lack may be meant by it
}

func newDoubt(problems []strictyaml.Problem) doubt {
	d := doubt{}
	for _, p := range problems {
		if p.Severity != krm.Error {
			continue
		}
		parent, _ := split(p.Path)
		if p.ReplacedBy != "" {
			continue // its value was read all the same
		}
		note(&d.broken, p.Path)
		switch p.Rule {
		case strictyaml.RuleType, strictyaml.RuleDepth:
			note(&d.parents, parent)
		case strictyaml.RuleUnknown:
			note(&d.parents, parent)
			note(&d.strange, parent)
		}
	}
	return d
}

func note(set *map[krm.Path]bool, path krm.Path) {
	if *set == nil {
		*set = map[krm.Path]bool{}
	}
	(*set)[path] = true
}

// at tells whether path, a place above it or a child of it could not be read.
func (d doubt) at(path krm.Path, root *yaml.Node) bool {
	if d.parents[path] {
		return true
	}
	for above := path; above != ""; {
		parent, _ := split(above)
		if d.broken[above] || d.strange[parent] && absent(above, root) {
			return true
		}
		above = parent
	}
	return false
}

func absent(path krm.Path, root *yaml.Node) bool {
	_, given := path.Find(root)
	return !given
}

// split cuts the last step off a path: a key as it is written in the document, or an index in brackets.
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
