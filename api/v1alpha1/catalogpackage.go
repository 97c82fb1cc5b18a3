package v1alpha1

// CatalogPackage is one Crossplane package with its versions.
type CatalogPackage struct {
	// Name is the repository of the package's image, without a tag, such as registry.example.org/acme/redis.
	Name string `json:"name" required:"true"`
	// Description documents the purpose of the package.
	Description string `json:"description,omitempty"`
	// Deprecated explains why no version should be chosen any more, and names a replacement. Requests still resolve,
	// with a warning.
	Deprecated string `json:"deprecated,omitempty"`
	// Versions are the published versions, the highest first when printed.
	Versions []CatalogPackageVersion `json:"versions"`
}

// CatalogPackageVersion is one published version of a package. Once it is listed, its digest never changes.
type CatalogPackageVersion struct {
	// Version is the tag of the image: strict semver, such as 1.0.0, or v and that. No two versions of a package have the
	// same precedence, as 1.0.0 and v1.0.0 do.
	Version string `json:"version" required:"true"`
	// Digest is the digest of the image's manifest.
	Digest string `json:"digest" required:"true"`
	// APIVersion is the apiVersion of the package's metadata document, such as meta.pkg.crossplane.io/v1.
	APIVersion string `json:"apiVersion,omitempty"`
	// Kind is the kind of the package's metadata document, such as Provider.
	Kind string `json:"kind,omitempty"`
	// CRDs are the CRDs that the package owns. A request for a CRD finds the package by them.
	CRDs []CatalogCRD `json:"crds,omitempty"`
	// DependsOn are the dependencies of the package, in its order.
	DependsOn []CatalogDependency `json:"dependsOn,omitempty"`
	// Description documents the changes in this version.
	Description string `json:"description,omitempty"`
	// Released is the day of the release, such as "2026-01-20". It is only for users and does not affect resolution.
	Released string `json:"released,omitempty"`
	// Deprecated explains why another version should be chosen. It is chosen only if no other one fits, with a warning.
	Deprecated string `json:"deprecated,omitempty"`
	// Yanked explains why the version must not be chosen. A range is never resolved to it. A request that is pinned or
	// locked to it still is, with a warning, since objects must be removed with the version that installed them.
	Yanked string `json:"yanked,omitempty"`
	// Source is the location of the package's documents: a URL, an OCI reference or a path relative to the catalog.
	// Functions only show it.
	Source string `json:"source,omitempty"`
}

// CatalogCRD is a CRD that a package owns.
type CatalogCRD struct {
	// Group is the API group.
	Group string `json:"group" required:"true"`
	// Kind is the kind of the objects.
	Kind string `json:"kind" required:"true"`
	// Plural is the plural name of the resource.
	Plural string `json:"plural" required:"true"`
	// Versions are the versions that are served.
	Versions []string `json:"versions"`
	// Scope is the scope of the objects: Namespaced or Cluster.
	Scope string `json:"scope,omitempty"`
}

// CatalogDependency is a dependency of a package: exactly one of `package` and `crd`.
type CatalogDependency struct {
	// Package is an image repository, without a tag.
	Package string `json:"package,omitempty"`
	// Kind is the kind of the package, such as Provider; empty means any kind.
	Kind string `json:"kind,omitempty"`
	// Version is a version, a version range or a digest of `package`; empty means any release.
	Version string `json:"version,omitempty"`
	// CRD is `<plural>.<group>/<version>` or `*.<group>/<version>`. The version may be missing.
	CRD string `json:"crd,omitempty"`
}

// Version returns the entry of a version as it is spelled, or nil.
func (p *CatalogPackage) Version(version string) *CatalogPackageVersion {
	for i := range p.Versions {
		if p.Versions[i].Version == version {
			return &p.Versions[i]
		}
	}
	return nil
}
