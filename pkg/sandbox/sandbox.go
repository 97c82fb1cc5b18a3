// Package sandbox reads Sandbox and RouteGroup documents: an ephemeral environment's forked workloads and the resources
// that plugins provide for it, and how requests find such environments. It decodes and nothing more: whether what it read
// makes sense is for package rule.
package sandbox

import (
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/decode"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Sandbox is a Sandbox document.
type Sandbox struct {
	// Item is the document as it came.
	Item *krm.Item
	// Name is the name as written; the server folds it to lower case.
	Name string
	Spec Spec
}

// Read decodes a document. It returns the sandbox with what could be decoded, and everything that could not.
func Read(item *krm.Item) (*Sandbox, []decode.Problem) {
	s := &Sandbox{Item: item, Name: item.Name()}
	return s, readSpec(item, &s.Spec)
}

// readSpec decodes a document's spec into target, a pointer to a struct.
func readSpec(item *krm.Item, target any) []decode.Problem {
	spec := krm.Value(item.YNode(), "spec")
	if spec == nil || spec.ShortTag() == "!!null" {
		return []decode.Problem{{Rule: decode.RuleRequired, Severity: krm.Error, Path: "spec", Message: "must be set"}}
	}
	return decode.Into(spec, "spec", target)
}

// LowerName returns the name that identifies the sandbox within its cluster: names that differ only in case are the same
// (Sandbox spec, name).
func (s *Sandbox) LowerName() string { return strings.ToLower(s.Name) }

// Cluster returns the name of the cluster that the sandbox is in.
func (s *Sandbox) Cluster() string { return s.Spec.Cluster }
