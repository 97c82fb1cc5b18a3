package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/yamlprint"
)

// Object is a Kubernetes object as a client sees it. Its values are like those of unstructured.Unstructured in
// apimachinery, which the unpacker does not link.
type Object map[string]any

// ObjectOf returns the object of a tree without the annotations for tools that handle files.
func ObjectOf(node *yaml.Node) (Object, error) {
	text, err := yamlprint.EncodeJSON(node)
	if err != nil {
		return nil, err
	}
	var read map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&read); err != nil {
		return nil, err
	}
	object := Object(clone(read).(map[string]any))
	annotations := object.metadata("annotations")
	maps.DeleteFunc(annotations, func(key, _ string) bool {
		return key == contract.PackageKey || key == contract.PackagePartKey || isOrchestrators(key)
	})
	object.setMetadata("annotations", annotations)
	return object, nil
}

// isOrchestrators reports whether an annotation is for tools that handle files, not for the cluster.
func isOrchestrators(key string) bool {
	prefix, _, _ := strings.Cut(key, "/")
	return prefix == "config.kubernetes.io" || prefix == "internal.config.kubernetes.io" || prefix == "config.k8s.io"
}

// Text returns the string at a path, or "" if the path has no string.
func (o Object) Text(path ...string) string {
	value, _, _ := o.value(path...)
	text, _ := value.(string)
	return text
}

// value returns the value at a path and whether it exists.
func (o Object) value(path ...string) (value any, found bool, err error) {
	value = map[string]any(o)
	for i, key := range path {
		if value == nil {
			return nil, false, nil
		}
		mapping, isMapping := value.(map[string]any)
		if !isMapping {
			return nil, false, noMapping(path[:i+1], value)
		}
		if value, found = mapping[key]; !found {
			return nil, false, nil
		}
	}
	return value, found, nil
}

// noMapping returns the error that apimachinery returns.
func noMapping(path []string, value any) error {
	return fmt.Errorf(".%s accessor error: %v is of the type %T, expected map[string]interface{}",
		strings.Join(path, "."), value, value)
}

// mapping returns a copy of the mapping at a path, or nil if it is missing.
func (o Object) mapping(path ...string) (map[string]any, error) {
	value, found, err := o.value(path...)
	if !found || err != nil {
		return nil, err
	}
	if _, isMapping := value.(map[string]any); !isMapping {
		return nil, noMapping(path, value)
	}
	return clone(value).(map[string]any), nil
}

// texts returns a copy of the mapping of strings at a path, or nil if it is missing.
func (o Object) texts(path ...string) (map[string]string, error) {
	mapping, err := o.mapping(path...)
	if mapping == nil || err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for key, value := range mapping {
		text, isText := value.(string)
		if !isText {
			return nil, fmt.Errorf(".%s accessor error: contains non-string value in the map under key %q: %v is of the type %T, "+
				"expected string", strings.Join(path, "."), key, value, value)
		}
		texts[key] = text
	}
	return texts, nil
}

// metadata returns the labels or annotations, or nil if they are missing or not strings. Null becomes an empty string.
func (o Object) metadata(key string) map[string]string {
	mapping, _ := o.mapping("metadata", key)
	if mapping == nil {
		return nil
	}
	texts := map[string]string{}
	for key, value := range mapping {
		text, isText := value.(string)
		if !isText && value != nil {
			return nil
		}
		texts[key] = text
	}
	return texts
}

// set sets the value at a path and creates the mappings that lead to it.
func (o Object) set(value any, path ...string) error {
	mapping, last := map[string]any(o), len(path)-1
	for i, key := range path[:last] {
		if _, exists := mapping[key]; !exists {
			mapping[key] = map[string]any{}
		}
		below, isMapping := mapping[key].(map[string]any)
		if !isMapping {
			return fmt.Errorf("value cannot be set because .%s is not a map[string]interface{}", strings.Join(path[:i+1], "."))
		}
		mapping = below
	}
	mapping[path[last]] = clone(value)
	return nil
}

// name sets the name and the namespace.
func (o Object) name(name, namespace string) error {
	return errors.Join(o.set(name, "metadata", "name"), o.set(namespace, "metadata", "namespace"))
}

// setMetadata sets the labels or annotations, or removes them if texts is empty.
func (o Object) setMetadata(key string, texts map[string]string) {
	metadata, _ := o["metadata"].(map[string]any)
	switch {
	case len(texts) == 0:
		delete(metadata, key)
	case metadata != nil:
		metadata[key] = anyOf(texts)
	default:
		o["metadata"] = map[string]any{key: anyOf(texts)}
	}
}

// label adds labels to an object. Existing labels are kept: the label managed-by of a CRD belongs to the package.
func (o Object) label(labels map[string]string) Object {
	all := map[string]string{}
	maps.Copy(all, labels)
	maps.Copy(all, o.metadata("labels"))
	if len(all) > 0 {
		o.setMetadata("labels", all)
	}
	return o
}

func anyOf(texts map[string]string) map[string]any {
	values := map[string]any{}
	for key, text := range texts {
		values[key] = text
	}
	return values
}

// clone copies a value of an object. JSON numbers become int64 if possible, or else float64.
func clone(value any) any {
	switch value := value.(type) {
	case map[string]any:
		copied := make(map[string]any, len(value))
		for key, one := range value {
			copied[key] = clone(one)
		}
		return copied
	case []any:
		copied := make([]any, len(value))
		for i, one := range value {
			copied[i] = clone(one)
		}
		return copied
	case json.Number:
		if whole, err := value.Int64(); err == nil {
			return whole
		}
		number, _ := value.Float64()
		return number
	}
	return value
}
