package validate

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// unreadable holds the paths of a document that could not be read. One mistake gives one finding: no finding may depend on
// unreadable values.
type unreadable struct {
	broken     map[krm.Path]bool // could not be decoded
	parents    map[krm.Path]bool // a child is missing, since its key or its type is wrong
	hasUnknown map[krm.Path]bool // with an unknown key, which may stand for a missing one
	everything bool              // aliases expand to too much, so any value may be missing
}

func newUnreadable(problems []strictyaml.Problem) unreadable {
	u := unreadable{broken: map[krm.Path]bool{}, parents: map[krm.Path]bool{}, hasUnknown: map[krm.Path]bool{}}
	for _, p := range problems {
		if !p.IsError() || p.ReplacedBy != "" { // the value of a former key was read
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

// at reports whether the value at path, a parent or a child of it could not be read.
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
