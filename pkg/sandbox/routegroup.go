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

// RouteGroupSpec is what a route group is made of. Source of every field: the RouteGroup spec.
type RouteGroupSpec struct {
	// Cluster is at most 255 bytes; empty means that the group spans clusters.
	Cluster string `json:"cluster"`
	// Description is for people; at most 255 bytes.
	Description string `json:"description"`
	// Match says which sandboxes take part.
	Match *Match `json:"match" required:"true"`
	// Endpoints are the URLs of the group.
	Endpoints []RouteEndpoint `json:"endpoints"`
	// TTL limits the group's life; its OffsetFrom is noMatchedSandboxes (the default), createdAt or updatedAt.
	TTL *TTL `json:"ttl"`
}

// Match is exactly one of its fields.
type Match struct {
	Label *LabelMatch `json:"label"`
	// Any holds where one of the entries does, All where every one does.
	Any []Match `json:"any"`
	All []Match `json:"all"`
}

// LabelMatch holds for sandboxes that have a label.
type LabelMatch struct {
	Key string `json:"key" required:"true"`
	// Value is a glob.
	Value string `json:"value" required:"true"`
}

// RouteEndpoint is a named URL of a route group.
type RouteEndpoint struct {
	Name   string `json:"name" required:"true"`
	Target string `json:"target" required:"true"`
	// Cluster is where the target is, in a group that spans clusters.
	Cluster string `json:"cluster"`
}

// ReadRouteGroup decodes a document. It returns the route group with what could be decoded, and everything that could
// not.
func ReadRouteGroup(item *krm.Item) (*RouteGroup, []decode.Problem) {
	g := &RouteGroup{Item: item, Name: item.Name()}
	return g, readSpec(item, &g.Spec)
}

// Matches runs through a match and all below it, the outer ones first, each with its path; at is the match's own. It
// goes no deeper than package decode does.
func (m *Match) Matches(at krm.Path) iter.Seq2[krm.Path, *Match] {
	return func(yield func(krm.Path, *Match) bool) { m.visit(at, yield) }
}

func (m *Match) visit(at krm.Path, yield func(krm.Path, *Match) bool) bool {
	if !yield(at, m) {
		return false
	}
	for i := range m.Any {
		if !m.Any[i].visit(at.Key("any").Index(i), yield) {
			return false
		}
	}
	for i := range m.All {
		if !m.All[i].visit(at.Key("all").Index(i), yield) {
			return false
		}
	}
	return true
}
