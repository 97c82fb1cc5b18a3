package v1alpha1

// CatalogPackage is one Crossplane package with its versions.
type CatalogPackage struct {
	// Name is the repository of the package's image, without a tag, such as registry.example.org/acme/redis.
	Name string `json:"name" required:"true"`
	// Description says what the package is for.
	Description string `json:"description,omitempty"`
	// Deprecated says why no version should be chosen any more, and what to use instead. Requests still resolve, with a
	// warning.
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
	// DependsOn are what the package needs, in its order.
	DependsOn []CatalogDependency `json:"dependsOn,omitempty"`
	// Description says what is new in this version.
	Description string `json:"description,omitempty"`
	// Released is the day of the release, such as "2026-01-20". It is shown to people and decides nothing.
	Released string `json:"released,omitempty"`
	// Deprecated says why another version should be chosen. It is chosen only if no other one fits, with a warning.
	Deprecated string `json:"deprecated,omitempty"`
	// Yanked says why the version must not be chosen. A range is never resolved to it. A request that is pinned or
	// locked to it still is, with a warning, since what was installed with a version has to be removed with it.
	Yanked string `json:"yanked,omitempty"`
	// Source says where the package's documents are: a URL, an OCI reference or a path relative to the catalog. Functions
	// only show it.
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
	// Scope is whether the objects are in a namespace.
	Scope string `json:"scope,omitempty"`
}

// CatalogDependency is what a package needs: exactly one of `package` and `crd`.
type CatalogDependency struct {
	// Package is an image repository, without a tag.
	Package string `json:"package,omitempty"`
	// Kind is the kind of the package, such as Provider; empty if any will do.
	Kind string `json:"kind,omitempty"`
	// Version is a version, a version range or a digest of `package`; empty means any release.
	Version string `json:"version,omitempty"`
	// CRD is `<plural>.<group>/<version>` or `*.<group>/<version>`. The version may be missing.
	CRD string `json:"crd,omitempty"`
}

// Version returns the entry of a version as it is spelled, nil if there is none.
func (p *CatalogPackage) Version(version string) *CatalogPackageVersion {
	for i := range p.Versions {
		if p.Versions[i].Version == version {
			return &p.Versions[i]
		}
	}
	return nil
}
