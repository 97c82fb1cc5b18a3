package pack

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime"
)

// plain returns a value of Kubernetes types as an unstructured object holds it.
func plain(value any) any {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // the types of k8s.io/api can be marshalled
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		panic(err) // it is JSON
	}
	return tree
}

// convert decodes part of an unstructured object.
func convert(from map[string]any, into any) error {
	return runtime.DefaultUnstructuredConverter.FromUnstructured(from, into)
}
