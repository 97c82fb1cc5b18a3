// Package unpacking defines the contract between rendered Jobs and the programs that they run. These programs are the
// unpacker and the manager. The package imports only the standard library, since the runtime module shares it.
package unpacking

import (
	"encoding/json"
	"fmt"
)

// A Job that installs a package has three containers:
//
//	init  copy-self      the unpacker image  /unpacker copy-self /ext-pkg                         writes /ext-pkg/unpacker
//	init  unpack         the package image   /ext-pkg/unpacker unpack /.registry /ext-pkg/objects.json
//	      apply-package  the runtime image   /manager apply-package
//
// A package image needs no shell or other program, and none of its programs are run. A Job that removes a package has only
// the container delete-package, which runs `/manager delete-package`.
//
// unpack reads untrusted files. It has no token and reads Settings from SettingsVariable. apply-package and
// delete-package read an Installation from InstallationVariable. Only they mount a token, at contract.TokenMountPath; the
// API server is the one of KUBERNETES_SERVICE_HOST and _PORT. All but copy-self read their namespace from
// contract.NamespaceVariable.
const (
	Binary      = "/unpacker"
	CopySelf    = "copy-self"      // DIR: copies the program into the folder
	Unpack      = "unpack"         // FOLDER FILE: writes the objects that install the package to the file
	Apply       = "apply-package"  // of the manager
	Delete      = "delete-package" // of the manager
	Volume      = "package-contents"
	VolumeMount = "/ext-pkg"
	Copied      = VolumeMount + Binary
	Folder      = "/.registry"                  // in the package image
	ObjectsFile = VolumeMount + "/objects.json" // the output of unpack, and the input of apply-package
)

const (
	// SettingsVariable holds Settings as JSON.
	SettingsVariable = "RESOURCEPLUGINS_PACKAGE_SETTINGS"
	// InstallationVariable holds an Installation as JSON.
	InstallationVariable = "RESOURCEPLUGINS_INSTALLATION"
)

// Manager is the field manager of the objects that apply-package applies. The field managers of kubectl start with kubectl.
const Manager = "resourceplugins-unpacker"

// Settings holds the settings of a request for the objects that install its package.
type Settings struct {
	// Name is the name of the record.
	Name string `json:"name"`
	// Controller is the name of the controller's Deployment and of the objects that it needs.
	Controller string `json:"controller,omitempty"`
	// Scope is Cluster or Namespaced.
	Scope string `json:"scope,omitempty"`
	// Image is the package image, with its tag and digest. Containers without an image get it.
	Image string `json:"image,omitempty"`
	// Source is the registry of controller images without a registry.
	Source string `json:"source,omitempty"`
	// Mirror maps prefixes of image references to their replacements. The longest matching prefix is replaced.
	Mirror map[string]string `json:"mirror,omitempty"`
	// ImagePullPolicy and ImagePullSecrets apply to the controller's Pod.
	ImagePullPolicy  string   `json:"imagePullPolicy,omitempty"`
	ImagePullSecrets []string `json:"imagePullSecrets,omitempty"`
	// AccountAnnotations are added to the controller's ServiceAccount.
	AccountAnnotations map[string]string `json:"accountAnnotations,omitempty"`
	// Labels are added to all applied objects.
	Labels map[string]string `json:"labels,omitempty"`
	// Resources maps API groups to the plurals that replace the resource * in the controller's permissions.
	Resources map[string][]string `json:"resources,omitempty"`
}

// Key identifies an object of a package.
type Key struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
}

func (k Key) String() string { return fmt.Sprintf("%s %q of %s", k.Kind, k.Name, k.APIVersion) }

// Unpacked is an object that installs a package. ObjectsFile holds a list of them as JSON.
type Unpacked struct {
	Key
	// Digest is registry.ObjectDigest of an object from the package: a CRD or the record. It is empty for others,
	// which are derived from the record.
	Digest string `json:"digest,omitempty"`
	// Object is the whole object.
	Object json.RawMessage `json:"object"`
}

// Installation describes the objects of a package to install or remove, and their order.
type Installation struct {
	// Name is the name of the record.
	Name string `json:"name"`
	// Requires are the names of CRDs of other packages. apply-package waits until they are established before it applies
	// the objects.
	Requires []string `json:"requires,omitempty"`
	// Objects are applied, in this order, or deleted, in the reverse order. The Job's permissions name exactly these,
	// so apply-package must refuse a package that unpacks to others, before it applies anything.
	Objects []Object `json:"objects"`
	// Custom are the resources of the package's CRDs. While any of their objects exist, in any namespace, delete-package
	// must refuse before it deletes anything: with a CRD, the cluster deletes all of its objects.
	Custom []CustomResource `json:"custom,omitempty"`
}

// Object is an object of a package in the cluster.
type Object struct {
	Key
	// Resource is the plural in URLs, such as deployments.
	Resource string `json:"resource"`
	// IsNamespaced is set if the object is in the Pod's namespace.
	IsNamespaced bool `json:"isNamespaced,omitempty"`
	// Digest is registry.ObjectDigest of a CRD and of the record when the package was rendered. In the cluster the
	// package must unpack to objects with the same digests, so that a changed image cannot install other objects.
	Digest string `json:"digest,omitempty"`
	// IsOptional is set on the record, since a cluster may not serve its kind. apply-package and delete-package
	// then log that and skip the record.
	IsOptional bool `json:"isOptional,omitempty"`
}

// CustomResource is a resource of a CRD.
type CustomResource struct {
	// CRD is the name of the CRD: the resource exists only together with it.
	CRD     string `json:"crd"`
	Group   string `json:"group"`
	Version string `json:"version"`
	Plural  string `json:"plural"`
}
