// Package plugin reads ResourcePlugin documents: a name with a version, a runner, and the two phases create and
// delete, each a graph of steps. It decodes and nothing more: whether what it read makes sense is for package rule.
package document

import (
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Plugin is a ResourcePlugin document.
type Plugin struct {
	// Item is the document as it came.
	Item *krm.Item
	// Name is the document's own name, `bareName[@version]` as written: see Identity.
	Name string
	Spec v1alpha1.ResourcePluginSpec
}

// Read decodes a document. It returns the plugin with what could be decoded, and everything that could not.
func ReadPlugin(item *krm.Item) (*Plugin, []strictyaml.Problem) {
	p := &Plugin{Item: item, Name: Identity(item)}
	spec := krm.Value(item.YNode(), "spec")
	if spec == nil || spec.ShortTag() == "!!null" {
		return p, []strictyaml.Problem{{Rule: strictyaml.RuleRequired, Severity: krm.Error, Path: "spec", Message: "must be set"}}
	}
	return p, strictyaml.Into(spec, "spec", &p.Spec)
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
