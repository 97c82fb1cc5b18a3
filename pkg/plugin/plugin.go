// Package plugin reads ResourcePlugin documents: a name with a version, a runner, and the two phases create and
// delete, each a graph of steps. It decodes and nothing more: whether what it read makes sense is for package rule.
package plugin

import (
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/decode"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// DefaultNamespace is where steps run when the runner names no namespace (ResourcePlugin spec, spec.runner.namespace).
const DefaultNamespace = "default"

// Phase is one of a plugin's two workflows.
type Phase string

// The phases of a plugin.
const (
	Create Phase = "create"
	Delete Phase = "delete"
)

// Phases lists the phases in the order of a sandbox's life.
var Phases = []Phase{Create, Delete}

// Plugin is a ResourcePlugin document.
type Plugin struct {
	// Item is the document as it came.
	Item *krm.Item
	// Name is the document's own name, `bareName[@version]` as written: see Identity.
	Name string
	Spec Spec
}

// Read decodes a document. It returns the plugin with what could be decoded, and everything that could not.
func Read(item *krm.Item) (*Plugin, []decode.Problem) {
	p := &Plugin{Item: item, Name: Identity(item)}
	spec := krm.Value(item.YNode(), "spec")
	if spec == nil || spec.ShortTag() == "!!null" {
		return p, []decode.Problem{{Rule: decode.RuleRequired, Severity: krm.Error, Path: "spec", Message: "must be set"}}
	}
	return p, decode.Into(spec, "spec", &p.Spec)
}

// Workflow returns the steps of a phase.
func (s *Spec) Workflow(phase Phase) []Step {
	if phase == Delete {
		return s.Delete
	}
	return s.Create
}

// RunnerNamespace returns the namespace that the steps run in.
func (s *Spec) RunnerNamespace() string {
	if s.Runner.Namespace == "" {
		return DefaultNamespace
	}
	return s.Runner.Namespace
}

// previousNames is kustomize's record of the names that an object had before its prefixes and suffixes.
const previousNames = "internal.config.kubernetes.io/previousNames"

// Identity returns a plugin document's own name, which a kustomize namePrefix or nameSuffix does not change.
func Identity(item *krm.Item) string {
	if names, ok := item.Annotation(previousNames); ok && names != "" {
		first, _, _ := strings.Cut(names, ",")
		return first
	}
	return item.Name()
}
