package sandbox

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// object is a user's manifest, or a part of one, as JSON. It is not decoded into the types of k8s.io/api, which would
// drop fields that are newer than this program. Whole numbers are int64.
type object = map[string]any

// child returns the mapping at the keys, or nil.
func child(o object, keys ...string) object {
	value, _, _ := unstructured.NestedFieldNoCopy(o, keys...)
	mapping, _ := value.(object)
	return mapping
}

// children returns the mappings of the list at the keys.
func children(o object, keys ...string) (found []object) {
	value, _, _ := unstructured.NestedFieldNoCopy(o, keys...)
	list, _ := value.([]any)
	for _, element := range list {
		if mapping, ok := element.(object); ok {
			found = append(found, mapping)
		}
	}
	return found
}

// text returns the string at the keys, or "".
func text(o object, keys ...string) string {
	found, _, _ := unstructured.NestedString(o, keys...)
	return found
}

// ensure returns the mapping at the keys. Missing mappings are added, and other values replaced.
func ensure(o object, keys ...string) object {
	for _, key := range keys {
		mapping := child(o, key)
		if mapping == nil {
			mapping = object{}
			o[key] = mapping
		}
		o = mapping
	}
	return o
}

// stringMap returns the strings of the mapping at the keys, such as labels. The API server rejects other values.
func stringMap(o object, keys ...string) map[string]string {
	found := map[string]string{}
	for key, value := range child(o, keys...) {
		if text, ok := value.(string); ok {
			found[key] = text
		}
	}
	return found
}

// remove removes keys from a mapping.
func remove(o object, keys ...string) {
	for _, key := range keys {
		delete(o, key)
	}
}
