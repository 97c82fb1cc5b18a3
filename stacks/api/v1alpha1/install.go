package v1alpha1

// InstallSpec asks for a package: exactly one of Package and CRD.
type InstallSpec struct {
	// Source is the registry of a package that names no registry, such as registry.crossplane.io.
	Source string `json:"source,omitempty"`
	// Package is the image of the package: a name with a tag, a version range or a digest, such as `redis:v0.1.0`.
	Package string `json:"package,omitempty"`
	// CRD is a CRD that the package owns: `<plural>.<group>/<version>`, such as redisclusters.cache.crossplane.io/v1alpha1.
	CRD string `json:"crd,omitempty"`
	// ImagePullSecrets are Secrets in the request's namespace for pulling the package and the images of its controller.
	ImagePullSecrets []LocalObjectReference `json:"imagePullSecrets,omitempty"`
	// ImagePullPolicy is Always, IfNotPresent or Never, for the package and the images of its controller.
	ImagePullPolicy string `json:"imagePullPolicy,omitempty"`
	// ServiceAccount changes the ServiceAccount of the controller.
	ServiceAccount *ServiceAccountOptions `json:"serviceAccount,omitempty"`
}

// LocalObjectReference names an object of the same namespace.
type LocalObjectReference struct {
	// Name is the object's name.
	Name string `json:"name" required:"true"`
}

// ServiceAccountOptions change the ServiceAccount of a controller.
type ServiceAccountOptions struct {
	// Annotations are added to the ServiceAccount.
	Annotations map[string]string `json:"annotations,omitempty"`
}
