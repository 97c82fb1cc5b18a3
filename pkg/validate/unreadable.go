package validate

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// unreadable is the paths of a document that could not be read. One mistake gives one finding: nothing is concluded from
// what could not be read.
type unreadable struct {
	broken     map[krm.Path]bool // could not be decoded
	parents    map[krm.Path]bool // lack a child, since its key or its type is wrong
	hasUnknown map[krm.Path]bool // have an unknown key, which may stand for one that they lack
	everything bool              // aliases stand for too much, so any value may be missing
}

func newUnreadable(problems []strictyaml.Problem) unreadable {
	u := unreadable{broken: map[krm.Path]bool{}, parents: map[krm.Path]bool{}, hasUnknown: map[krm.Path]bool{}}
	for _, p := range problems {
		if p.Severity != krm.Error || p.ReplacedBy != "" { // the value of a former key was read anyway
			continue
		}
		u.broken[p.Path] = true
		parent, _ := split(p.Path)
		switch p.Rule {
		case strictyaml.RuleAlias:
			u.everything = true
		case strictyaml.RuleType, strictyaml.RuleDepth:
			u.parents[parent] = true
		case strictyaml.RuleUnknown:
			u.parents[parent], u.hasUnknown[parent] = true, true
		}
	}
	return u
}

// at reports whether the value at path, one that it is in, or a child of it could not be read.
func (u unreadable) at(path krm.Path, root *yaml.Node) bool {
	if u.everything || u.parents[path] {
		return true
	}
	for above := path; above != ""; {
		parent, _ := split(above)
		if u.broken[above] || u.hasUnknown[parent] && missing(above, root) {
			return true
		}
		above = parent
	}
	return false
}

func missing(path krm.Path, root *yaml.Node) bool {
	_, given := path.Find(root)
	return !given
}
