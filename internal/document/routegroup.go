package document

import (
	"iter"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// RouteGroup is a RouteGroup document.
type RouteGroup struct {
	// Item is the document as it was read.
	Item *krm.Item
	// Name identifies the route group.
	Name string
	// Spec is the decoded part of the document's spec.
	Spec v1alpha1.RouteGroupSpec
}

// ReadRouteGroup decodes a RouteGroup document. It returns the decoded part, and a problem for everything else.
func ReadRouteGroup(item *krm.Item) (*RouteGroup, []strictyaml.Problem) {
	g := &RouteGroup{Item: item, Name: item.Name()}
	return g, ReadSpec(item, &g.Spec)
}

// Matches iterates over a match and all matches below it, the outer ones first, each with its path. at is the path of
// the match itself. strictyaml limits the depth.
func Matches(m *v1alpha1.RouteGroupMatch, at krm.Path) iter.Seq2[krm.Path, *v1alpha1.RouteGroupMatch] {
	return func(yield func(krm.Path, *v1alpha1.RouteGroupMatch) bool) { visit(m, at, yield) }
}

func visit(m *v1alpha1.RouteGroupMatch, at krm.Path, yield func(krm.Path, *v1alpha1.RouteGroupMatch) bool) bool {
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
