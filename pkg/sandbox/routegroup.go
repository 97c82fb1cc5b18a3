package sandbox

import (
	"iter"

	"github.com/resource-plugins/krm-functions/pkg/decode"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// RouteGroup is a RouteGroup document: it sends requests to the sandboxes whose labels match.
type RouteGroup struct {
	// Item is the document as it came.
	Item *krm.Item
	// Name identifies the route group.
	Name string
	Spec RouteGroupSpec
}

// ReadRouteGroup decodes a document. It returns the route group with what could be decoded, and everything that could
// not.
func ReadRouteGroup(item *krm.Item) (*RouteGroup, []decode.Problem) {
	g := &RouteGroup{Item: item, Name: item.Name()}
	return g, readSpec(item, &g.Spec)
}

// Matches runs through a match and all below it, the outer ones first, each with its path; at is the match's own. It
// goes no deeper than package decode does.
func Matches(m *Match, at krm.Path) iter.Seq2[krm.Path, *Match] {
	return func(yield func(krm.Path, *Match) bool) { visit(m, at, yield) }
}

func visit(m *Match, at krm.Path, yield func(krm.Path, *Match) bool) bool {
	if !yield(at, m) {
		return false
	}
	for i := range m.Any {
		if !visit(&m.Any[i], at.Key("any").Index(i), yield) {
			return false
		}
	}
	for i := range m.All {
		if !visit(&m.All[i], at.Key("all").Index(i), yield) {
			return false
		}
	}
	return true
}
