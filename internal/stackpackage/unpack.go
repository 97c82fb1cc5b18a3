package stackpackage

import (
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// UnpackOptions say how a package is unpacked.
type UnpackOptions struct {
	// Scope is Cluster or Namespaced, and must be the permissionScope of the package; empty means the package's own.
	Scope string
	// Image is the image of the package. Its tag is the version of a package that names none, and its last path element the
	// name of the record.
	Image string
	// TemplatingImage is the image of the controller of a template stack whose behavior.yaml names none.
	TemplatingImage string
	// Dir is how messages name the folder of the package; empty means Folder.
	Dir string
}

// Unpacked are the objects of a package of crossplane v0.3 to v0.10.
type Unpacked struct {
	// CRDs are the CRDs, with their labels and annotations.
	CRDs []*kyaml.RNode
	// Record is the Stack or StackDefinition.
	Record *kyaml.RNode
}

// Unpack returns the objects of a package, and what is wrong with its files. The objects are nil if there is an error among
// the results.
func Unpack(files Files, o UnpackOptions) (*Unpacked, krm.Results) {
	return nil, nil
}

// YAML prints the objects: the CRDs, then the record.
func (u *Unpacked) YAML() ([]byte, error) {
	return nil, nil
}
