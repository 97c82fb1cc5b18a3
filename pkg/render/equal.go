package render

import (
	"bytes"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// ReadObject decodes an item as kubectl does, by way of JSON. Whole numbers are int64.
func ReadObject(item *krm.Item) (map[string]any, error) {
	text, err := item.Bytes()
	if err != nil {
		return nil, err
	}
	var object map[string]any
	return object, yaml.Unmarshal(text, &object)
}

// compare reports whether an item has the same content as an object, but for the orchestrators' annotations, which it
// returns.
func compare(item *krm.Item, with *object) (equal bool, theirs map[string]string, err error) {
	old, err := ReadObject(item)
	if err != nil {
		return false, nil, fmt.Errorf("decode %s %q: %w", item.Kind(), item.Name(), err)
	}
	theirs = map[string]string{}
	metadata, _ := old["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	for key, value := range annotations {
		if isOrchestrators(key) {
			theirs[key] = fmt.Sprint(value)
			delete(annotations, key)
		}
	}
	return bytes.Equal(yamlprint.AppendJSON(nil, old), with.print(yamlprint.AppendJSON, nil)), theirs, nil
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
