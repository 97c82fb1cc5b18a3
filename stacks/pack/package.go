// Package pack knows what a Crossplane package consists of, whatever form it has: a `.registry` folder of
// crossplane v0.3 to v0.10, or one of today's xpkg. It reads folders, OCI layouts and image tars, and finds the packages in
// a list of documents. Package registry unpacks `.registry` folders; its findings become results here.
package pack

import "github.com/resource-plugins/krm-functions/pkg/krm"

// Package is a package in a list: a document with its metadata, and its other documents.
type Package struct {
	// Name is the repository of the package's image, with the registry if it is known: registry.example.org/acme/redis. It is
	// the name of the metadata document if the image is not known.
	Name string
	// Version is the tag of the image, or the version that the metadata names; it may be empty.
	Version string
	// Digest is the digest of the image's manifest, empty if it is not known.
	Digest string
	// APIVersion and Kind are those of the metadata document: Stack, StackDefinition, Extension, or a kind of
	// meta.pkg.crossplane.io.
	APIVersion, Kind string
	// Scope is Cluster or Namespaced for stacks, empty for others.
	Scope string
	// DependsOn are what the package needs, in its order.
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
	// Group, Kind and Plural name it.
	Group, Kind, Plural string
	// Versions are the versions that are served, the storage version among them.
	Versions []string
	// Scope is Cluster or Namespaced.
	Scope string
}

// Dependency is what a package needs: exactly one of Package and CRD is set.
type Dependency struct {
	// Package is an image repository.
	Package string
	// Kind is the kind of the package, empty if any will do.
	Kind string
	// Constraint is a version, a version range or a digest; empty means any release.
	Constraint string
	// CRD is `<plural>.<group>/<version>` or `*.<group>/<version>`, as the package has it. The version may be missing.
	CRD string
	// Field is the field of the metadata document, such as `spec.dependsOn[0]`.
	Field string
}
