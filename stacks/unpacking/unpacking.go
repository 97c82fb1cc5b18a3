// Package unpacking holds what rendered Jobs and the program that they run, the unpacker, agree on. It has no dependencies,
// since the runtime module shares it.
package unpacking

// The unpacker is one static program with a subcommand for each container. A Job that installs a package has three:
//
//	init  copy-self   the unpacker       /unpacker copy-self /ext-pkg                          writes /ext-pkg/unpacker
//	init  copy        the package image  /ext-pkg/unpacker copy /.registry /ext-pkg/.registry
//	      apply       the unpacker       /unpacker apply
//
// A package image needs no shell and no program, and none of its programs runs. A Job that removes a package has only
// the container delete, which runs `/unpacker delete`.
//
// apply and delete read an Installation from Variable and their namespace from contract.NamespaceVariable. Only they mount a
// token, at contract.TokenMountPath; the API server is the one of KUBERNETES_SERVICE_HOST and _PORT.
const (
	Binary      = "/unpacker"
	CopySelf    = "copy-self" // DIR: copies the program into the folder
	Copy        = "copy"      // SRC DST: copies a folder; links and special files are errors
	Apply       = "apply"
	Delete      = "delete"
	Volume      = "package-contents"
	VolumeMount = "/ext-pkg"
	Folder      = "/.registry"         // in the package image
	FolderCopy  = VolumeMount + Folder // the input of apply
	Copied      = VolumeMount + Binary
)

// Variable holds an Installation as JSON.
const Variable = "RESOURCEPLUGINS_INSTALLATION"

// Manager is the field manager of the objects that the unpacker applies. kubectl's own names start with kubectl.
const Manager = "resourceplugins-unpacker"

// Installation is the input of the unpacker about a package that is installed or removed, as JSON in Variable.
type Installation struct {
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
	// ImagePullPolicy and ImagePullSecrets are those of the controller.
	ImagePullPolicy  string   `json:"imagePullPolicy,omitempty"`
	ImagePullSecrets []string `json:"imagePullSecrets,omitempty"`
	// AccountAnnotations are added to the controller's ServiceAccount.
	AccountAnnotations map[string]string `json:"accountAnnotations,omitempty"`
	// Labels are added to all applied objects.
	Labels map[string]string `json:"labels,omitempty"`
	// Resources has the plurals that replace the resource * of an API group in the controller's permissions.
	Resources map[string][]string `json:"resources,omitempty"`
	// Requires are the names of CRDs of other packages: apply waits until they are established, and then applies.
	Requires []string `json:"requires,omitempty"`
	// Objects are applied, in this order, or deleted, in the reverse order. The Job's permissions name exactly these,
	// so apply must refuse a package that unpacks to others, before it applies anything.
	Objects []Object `json:"objects"`
	// Custom are the resources of the package's CRDs. While there are objects of them, in any namespace, delete must refuse
	// before it deletes anything: with a CRD, the cluster deletes all of its objects.
	Custom []CustomResource `json:"custom,omitempty"`
}

// Object is an object of a package in the cluster.
type Object struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Resource is the plural in URLs, such as deployments.
	Resource string `json:"resource"`
	Name     string `json:"name"`
	// IsNamespaced is set if the object is in the Pod's namespace.
	IsNamespaced bool `json:"isNamespaced,omitempty"`
	// Digest is registry.ObjectDigest of a CRD and of the record when the package was rendered. In the cluster the
	// package must unpack to objects with the same digests, so that a changed image cannot install other objects.
	Digest string `json:"digest,omitempty"`
	// IsOptional is set on the record: a cluster may not serve its kind. apply and delete then log that and skip it.
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
