package contract

// UnpackerImage is the image of the program that installs and removes packages.
const UnpackerImage = ImageRegistry + "/unpacker:" + ImageTag

// The unpacker is one static program with a subcommand a container. A Job that installs a package has three containers:
//
//	init  copy-self   UnpackerImage      /unpacker copy-self /ext-pkg                          writes /ext-pkg/unpacker
//	init  copy        the package image  /ext-pkg/unpacker copy /.registry /ext-pkg/.registry
//	      apply       UnpackerImage      /unpacker apply
//
// A package image needs no shell and no program of its own, and none of its programs runs. A Job that removes a package
// has the container delete alone, which runs `/unpacker delete`.
//
// apply and delete read an Installation from InstallationVariable and their namespace from NamespaceVariable. Only
// they mount a token, at TokenMountPath; the API server is the one of KUBERNETES_SERVICE_HOST and _PORT.
const (
	UnpackerBinary     = "/unpacker"
	UnpackerCopySelf   = "copy-self" // DIR: copies the program into the folder
	UnpackerCopy       = "copy"      // SRC DST: copies a folder; links and special files are errors
	UnpackerApply      = "apply"
	UnpackerDelete     = "delete"
	PackageVolume      = "package-contents"
	PackageVolumeMount = "/ext-pkg"
	PackageFolder      = "/.registry"                       // in the package image
	PackageCopy        = PackageVolumeMount + PackageFolder // what apply unpacks
	UnpackerCopied     = PackageVolumeMount + UnpackerBinary
)

// InstallationVariable holds an Installation as JSON.
const InstallationVariable = "RESOURCEPLUGINS_INSTALLATION"

// UnpackerManager is the field manager of what the unpacker applies. kubectl's own names start with kubectl.
const UnpackerManager = "resourceplugins-unpacker"

// Installation is what the unpacker needs to know of a package that is installed or removed, as JSON in
// InstallationVariable.
type Installation struct {
	// Name is the name of the record.
	Name string `json:"name"`
	// Controller is the name of the controller's Deployment and of what it needs.
	Controller string `json:"controller,omitempty"`
	// Scope is Cluster or Namespaced.
	Scope string `json:"scope,omitempty"`
	// Image is the package image, with its tag and digest. Containers without an image get it.
	Image string `json:"image,omitempty"`
	// Source is the registry of controller images that name none.
	Source string `json:"source,omitempty"`
	// Mirror says where images are whose references begin with a prefix: the prefix becomes the value, the longest one first.
	Mirror map[string]string `json:"mirror,omitempty"`
	// ImagePullPolicy and ImagePullSecrets are those of the controller.
	ImagePullPolicy  string   `json:"imagePullPolicy,omitempty"`
	ImagePullSecrets []string `json:"imagePullSecrets,omitempty"`
	// AccountAnnotations are added to the controller's ServiceAccount.
	AccountAnnotations map[string]string `json:"accountAnnotations,omitempty"`
	// Labels are added to everything that is applied.
	Labels map[string]string `json:"labels,omitempty"`
	// Resources has the plurals that replace the resource * of an API group in the controller's permissions.
	Resources map[string][]string `json:"resources,omitempty"`
	// Requires are the names of CRDs of other packages: apply waits until they are established, and then applies.
	Requires []string `json:"requires,omitempty"`
	// Objects are what is applied, in this order, or was applied and is deleted, in the reverse order. The Job's permissions
	// name exactly these, so apply must refuse a package that unpacks to others, before it applies anything.
	Objects []InstalledObject `json:"objects"`
	// Custom are the resources of the package's CRDs. While there are objects of them, in any namespace, delete must refuse
	// before it deletes anything: with a CRD, the cluster deletes all of its objects.
	Custom []CustomResource `json:"custom,omitempty"`
}

// InstalledObject is an object of a package in the cluster.
type InstalledObject struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Resource is the plural in URLs, such as deployments.
	Resource string `json:"resource"`
	Name     string `json:"name"`
	// IsNamespaced is set if the object is in the Pod's namespace.
	IsNamespaced bool `json:"isNamespaced,omitempty"`
	// Digest is pack.ObjectDigest of a CRD and of the record: what the package unpacked to when it was rendered. What
	// the package unpacks to in the cluster must have the same, so that an image that has changed brings in nothing else.
	Digest string `json:"digest,omitempty"`
	// IsOptional is set on the record: a cluster may not serve its kind. apply and delete pass over it then, and say so.
	IsOptional bool `json:"isOptional,omitempty"`
}

// CustomResource is a resource of a CRD.
type CustomResource struct {
	// CRD is the name of the CRD: deleted with it, and not there before it.
	CRD     string `json:"crd"`
	Group   string `json:"group"`
	Version string `json:"version"`
	Plural  string `json:"plural"`
}
