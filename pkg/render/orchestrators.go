package render

import (
	"go.yaml.in/yaml/v3"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
)

// withoutOrchestrators returns a copy of an object without the orchestrators' annotations.
func withoutOrchestrators(object *yaml.Node) *yaml.Node {
	copied := kyaml.NewRNode(object).Copy()
	for key := range copied.GetAnnotations() {
		if isOrchestrators(key) {
			_ = copied.PipeE(kyaml.ClearAnnotation(key))
		}
	}
	return copied.YNode()
}
