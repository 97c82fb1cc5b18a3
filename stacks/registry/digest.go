package registry

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm/field"
)

// ObjectDigest returns the digest of the apiVersion, kind and spec of an unpacked object, in the form of package digest.
// The name and other metadata are ignored, since a kustomization changes them.
func ObjectDigest(object *yaml.Node) (string, error) {
	kind := Text(object, "kind")
	sum, problem := strictyaml.Digest(Text(object, "apiVersion")+"/"+kind, "0.0.0", field.Value(object, "spec"))
	if problem != nil {
		name := Text(field.Value(object, "metadata"), "name")
		return "", fmt.Errorf("%s %q: %s %s", kind, name, problem.Path, problem.Message)
	}
	return sum, nil
}
