package render

import (
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// isSame reports whether an item has the same content as a printed object, but for the orchestrators' annotations.
func isSame(text []byte, item *krm.Item) (bool, error) {
	var fresh, old any
	if err := yaml.Unmarshal(text, &fresh); err != nil {
		return false, fmt.Errorf("decode what was rendered: %w", err)
	}
	if err := item.YNode().Decode(&old); err != nil {
		return false, nil // such as one with an alias to itself
	}
	if object, ok := old.(map[string]any); ok {
		if metadata, ok := object["metadata"].(map[string]any); ok {
			if annotations, ok := metadata["annotations"].(map[string]any); ok {
				for key := range annotations {
					if isOrchestrators(key) {
						delete(annotations, key)
					}
				}
			}
		}
	}
	return reflect.DeepEqual(fresh, old), nil
}

// isOrchestrators reports whether an annotation is an orchestrator's own.
func isOrchestrators(key string) bool {
	prefix, _, _ := strings.Cut(key, "/")
	switch prefix {
	case "internal.config.kubernetes.io", "config.kubernetes.io", "config.k8s.io", "kustomize.config.k8s.io":
		return true
	}
	return false
}

// orchestratorAnnotations returns the orchestrators' annotations of an object.
func orchestratorAnnotations(object *yaml.Node) map[string]string {
	found := map[string]string{}
	annotations := krm.Value(krm.Value(object, "metadata"), "annotations")
	if annotations == nil {
		return found
	}
	for i := 0; i+1 < len(annotations.Content); i += 2 {
		if key := annotations.Content[i].Value; isOrchestrators(key) {
			found[key] = annotations.Content[i+1].Value
		}
	}
	return found
}
