// Package document reads ResourcePlugin, Sandbox and RouteGroup documents, and answers what a document means by itself:
// a plugin's own name, a sandbox's id and whether it is to be torn down, and which steps of a plugin read from which.
//
// ReadPlugin, ReadSandbox and ReadRouteGroup decode an item into its type of api/v1alpha1. They return what could be
// decoded, and a problem for everything that could not. Whether a decoded document follows its specification is checked
// by pkg/validate.
//
// NewGraph builds the graph of a plugin's steps: the order in which they run, what each step waits for, references that
// lead nowhere, and cycles.
package document

import (
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// readSpec decodes a document's spec into target, a pointer to a struct.
func readSpec(item *krm.Item, target any) []strictyaml.Problem {
	spec := krm.Value(item.YNode(), "spec")
	if spec == nil || spec.ShortTag() == "!!null" {
		return []strictyaml.Problem{{Rule: strictyaml.RuleRequired, Severity: krm.Error, Path: "spec", Message: "must be set"}}
	}
	return strictyaml.Into(spec, "spec", target)
}
