package cluster

import "encoding/json"

// Secret has the fields of a Secret that the helpers read.
type Secret struct {
	Metadata  Metadata          `json:"metadata"`
	Data      map[string][]byte `json:"data"`
	Immutable bool              `json:"immutable"`
}

// Metadata has the metadata fields that the helpers read.
type Metadata struct {
	UID             string            `json:"uid"`
	ResourceVersion string            `json:"resourceVersion"`
	Generation      int               `json:"generation"`
	Annotations     map[string]string `json:"annotations"`
}

// Annotation returns the value of an annotation, or "".
func (s *Secret) Annotation(key string) string { return s.Metadata.Annotations[key] }

// Patch is a change to an object. Its zero value changes nothing.
type Patch struct {
	// Annotations to set, or to remove if the value is nil.
	Annotations map[string]*string
	// Data to set, or to remove if the value is nil. An empty value must not be nil.
	Data map[string][]byte
	// Spec has fields to set.
	Spec map[string]string
	// Owner is the only owner of the object from now on: the cluster deletes the object when the owner is gone.
	Owner *Owner
}

// Owner is an owner reference.
type Owner struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	UID        string `json:"uid"`
}

// body returns the JSON merge patch. With a resource version the server applies it only to that version.
func (p Patch) body(version string) ([]byte, error) {
	metadata := map[string]any{}
	if version != "" {
		metadata["resourceVersion"] = version
	}
	if p.Annotations != nil {
		metadata["annotations"] = p.Annotations
	}
	if p.Owner != nil {
		metadata["ownerReferences"] = []*Owner{p.Owner}
	}
	object := map[string]any{}
	if len(metadata) > 0 {
		object["metadata"] = metadata
	}
	if p.Data != nil {
		object["data"] = p.Data
	}
	if p.Spec != nil {
		object["spec"] = p.Spec
	}
	return json.Marshal(object)
}
