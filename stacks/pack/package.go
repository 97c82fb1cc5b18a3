// Package pack reads Crossplane packages in all their forms. A package is a `.registry` folder of crossplane v0.3 to v0.10
// or one of today's xpkgs. Package pack reads them from folders, OCI layouts and image tars, and finds them in a list of
// documents. Package registry unpacks `.registry` folders; package pack converts its findings to results.
package pack

import "github.com/resource-plugins/krm-functions/pkg/krm"

// Package is a package in a list: its metadata document and its other documents.
type Package struct {
	// Name is the repository of the package's image, with the registry if it is known: registry.example.org/acme/redis. It is
	// the name of the metadata document if the image is unknown.
	Name string
	// Version is the tag of the image, or the version that the metadata names; it may be empty.
	Version string
	// Digest is the digest of the image's manifest, empty if it is unknown.
	Digest string
	// APIVersion and Kind are those of the metadata document: Stack, StackDefinition, Extension, or a kind of
	// meta.pkg.crossplane.io.
	APIVersion, Kind string
	// Scope is Cluster or Namespaced for stacks, empty for others.
	Scope string
	// DependsOn are the dependencies of the package, in its order.
	DependsOn []Dependency
	// CRDs are the CRDs that the package owns, in the order of the list.
	CRDs []CRD
	// Metadata is the metadata document.
	Metadata *krm.Item
	// Members are the other documents, in the order of the list.
	Members []*krm.Item
}

// CRD is a CRD that a package owns.
type CRD struct {
	// Group, Kind and Plural identify the CRD.
	Group, Kind, Plural string
	// Versions are the served versions, including the storage version.
	Versions []string
	// Scope is Cluster or Namespaced.
	Scope string
}

// Dependency is a dependency of a package: exactly one of Package and CRD is set.
type Dependency struct {
	// Package is an image repository.
	Package string
	// Kind is the kind of the package, empty if any kind is allowed.
	Kind string
	// Constraint is a version, a version range or a digest; empty means any release.
	Constraint string
	// CRD is `<plural>.<group>/<version>` or `*.<group>/<version>`, as in the package. The version may be missing.
	CRD string
	// Field is the field of the metadata document, such as `spec.dependsOn[0]`.
	Field string
}
