// Package sandbox reads Sandbox and RouteGroup documents: an ephemeral environment's forked workloads and the resources
// that plugins provide for it, and how requests find such environments. It decodes and nothing more: whether what it read
// makes sense is for package rule.
package document

import (
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Sandbox is a Sandbox document.
type Sandbox struct {
	// Item is the document as it came.
	Item *krm.Item
	// Name is the name as written; the server folds it to lower case.
	Name string
	Spec v1alpha1.SandboxSpec
}

// Read decodes a document. It returns the sandbox with what could be decoded, and everything that could not.
func ReadSandbox(item *krm.Item) (*Sandbox, []strictyaml.Problem) {
	s := &Sandbox{Item: item, Name: item.Name()}
	return s, readSpec(item, &s.Spec)
}

// readSpec decodes a document's spec into target, a pointer to a struct.
func readSpec(item *krm.Item, target any) []strictyaml.Problem {
	spec := krm.Value(item.YNode(), "spec")
	if spec == nil || spec.ShortTag() == "!!null" {
		return []strictyaml.Problem{{Rule: strictyaml.RuleRequired, Severity: krm.Error, Path: "spec", Message: "must be set"}}
	}
	return strictyaml.Into(spec, "spec", target)
}

// LowerName returns the name that identifies the sandbox within its cluster: names that differ only in case are the same
// (Sandbox spec, name).
func (s *Sandbox) LowerName() string { return strings.ToLower(s.Name) }

// Cluster returns the name of the cluster that the sandbox is in.
func (s *Sandbox) Cluster() string { return s.Spec.Cluster }
