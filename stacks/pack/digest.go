package pack

import (
	"fmt"

	"github.com/Masterminds/semver/v3"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/version"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// ObjectDigest returns the digest of an unpacked object: of its apiVersion, its kind and its spec, in the form of package
// digest. The name and other metadata do not count: a kustomization changes them.
func ObjectDigest(object *kyaml.RNode) (string, error) {
	name := version.Name{Bare: object.GetApiVersion() + "/" + object.GetKind(), Version: &semver.Version{}}
	sum, problem := document.Digest(name, krm.Value(object.YNode(), "spec"))
	if problem != nil {
		return "", fmt.Errorf("%s %q: %s %s", object.GetKind(), object.GetName(), problem.Path, problem.Message)
	}
	return sum, nil
}
