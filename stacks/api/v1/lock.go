package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Lock holds the packages that the cluster's package manager has resolved. It is observed state, not a lock file.
type Lock struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	// Packages are the installed packages.
	Packages []LockPackage `json:"packages,omitempty"`
}

// LockPackage is an installed package.
type LockPackage struct {
	// Name is the name of the package revision.
	Name string `json:"name"`
	// APIVersion is that of the revision's kind.
	APIVersion string `json:"apiVersion,omitempty"`
	// Kind is the kind of the package.
	Kind string `json:"kind,omitempty"`
	// Type is the older form of the kind.
	Type string `json:"type,omitempty"`
	// Source is the OCI repository.
	Source string `json:"source"`
	// Version is the tag or the digest.
	Version string `json:"version"`
	// Dependencies are the packages that this one needs.
	Dependencies []LockDependency `json:"dependencies"`
}

// LockDependency is a dependency of an installed package.
type LockDependency struct {
	// Package is the OCI repository.
	Package string `json:"package"`
	// APIVersion is that of the request for the package.
	APIVersion string `json:"apiVersion,omitempty"`
	// Kind is that of the request for the package.
	Kind string `json:"kind,omitempty"`
	// Type is the older form of the kind.
	Type string `json:"type,omitempty"`
	// Constraints is a range or a digest.
	Constraints string `json:"constraints"`
}
