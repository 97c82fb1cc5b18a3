package cluster

import (
	"encoding/json"
	"net/url"
)

// Ref is where a Secret is.
type Ref struct{ Namespace, Name string }

func (r Ref) path() string {
	return "/api/v1/namespaces/" + url.PathEscape(r.Namespace) + "/secrets"
}

// Secret is what the helpers read of one.
type Secret struct {
	Metadata Metadata          `json:"metadata"`
	Data     map[string][]byte `json:"data"`
}

// Metadata is what the helpers read of a Secret's metadata.
type Metadata struct {
	ResourceVersion string            `json:"resourceVersion"`
	Annotations     map[string]string `json:"annotations"`
}

// Annotation is the annotation's value, empty where there is none.
func (s *Secret) Annotation(key string) string { return s.Metadata.Annotations[key] }

// Patch is a change of a Secret. Its zero value changes nothing.
type Patch struct {
	// Annotations are set, or removed where nil.
	Annotations map[string]*string
	// Data are set, or removed where nil; an empty value must not be nil.
	Data map[string][]byte
}

// body is the JSON merge patch that applies only to the version it was made for, where one is given.
func (p Patch) body(version string) ([]byte, error) {
	metadata := map[string]any{}
	if version != "" {
		metadata["resourceVersion"] = version
	}
	if p.Annotations != nil {
		metadata["annotations"] = p.Annotations
	}
	document := map[string]any{}
	if len(metadata) > 0 {
		document["metadata"] = metadata
	}
	if p.Data != nil {
		document["data"] = p.Data
	}
	return json.Marshal(document)
}
