package v1alpha1

// CatalogSpec is the content of a catalog.
type CatalogSpec struct {
	// Description documents the owner and the purpose of the catalog.
	Description string `json:"description,omitempty"`
	// Priority decides between several catalogs. Of the versions that fit a reference, only those of the catalogs with
	// the highest priority are considered, so a catalog with a lower one cannot take over a name. Properties of a
	// version in catalogs of a lower priority are ignored, but their digests must agree. The default is 0, which is
	// also the priority of plugin documents that no catalog lists.
	Priority int `json:"priority,omitempty"`
	// Plugins are the plugins, each once, sorted by name when printed.
	Plugins []CatalogPlugin `json:"plugins"`
	// Packages are Crossplane packages, each once, sorted by name when printed.
	Packages []CatalogPackage `json:"packages,omitempty"`
}

// CatalogPlugin is one plugin with its versions.
type CatalogPlugin struct {
	// Name is the name of the plugin, without a version.
	Name string `json:"name" required:"true"`
	// Description documents the purpose of the plugin.
	Description string `json:"description,omitempty"`
	// Deprecated explains why no version should be chosen any more, and names a replacement. References are still
	// resolved, with a warning.
	Deprecated string `json:"deprecated,omitempty"`
	// Channels are names for versions, such as `stable: 1.1.0`: a sandbox refers to `hello-db@stable`. A channel's name is
	// lower-case letters, digits and inner dashes, and must not read as a version, as a range or as "latest".
	Channels map[string]string `json:"channels,omitempty"`
	// Versions are the published versions, the highest first when printed.
	Versions []CatalogVersion `json:"versions"`
}

// CatalogVersion is one published version of a plugin. Once it is listed, its digest never changes.
type CatalogVersion struct {
	// Version is strict semver, such as 1.0.0: no leading v, no number left out. No two versions of a plugin have the same
	// precedence, as 1.0.0+a and 1.0.0+b do.
	Version string `json:"version" required:"true"`
	// Digest is the digest of the plugin's document, as `rplug catalog` prints it.
	Digest string `json:"digest" required:"true"`
	// Description documents the changes in this version.
	Description string `json:"description,omitempty"`
	// Released is the day of the release, such as "2026-01-20". It is only for users and does not affect resolution.
	Released string `json:"released,omitempty"`
	// Deprecated explains why another version should be chosen. A range, a channel or a bare name is resolved to the
	// version only if no other one fits, with a warning.
	Deprecated string `json:"deprecated,omitempty"`
	// Yanked explains why the version must not be chosen. A range, a channel or a bare name is never resolved to it. A
	// pin or a lock is, with a warning, since resources must be deleted with the version that created them.
	Yanked string `json:"yanked,omitempty"`
	// Requires are the requirements of the version on a cluster.
	Requires Requires `json:"requires,omitzero"`
	// Source is the location of the document: a URL, an OCI reference or a path relative to the catalog. Functions only
	// show it.
	Source string `json:"source,omitempty"`
}

// Requires are the requirements of a version on a cluster.
type Requires struct {
	// Kubernetes is the lowest version of Kubernetes, such as "1.29" or "1.29.3".
	Kubernetes string `json:"kubernetes,omitempty"`
}

// Version returns the entry of a version as it is spelled, or nil.
func (p *CatalogPlugin) Version(version string) *CatalogVersion {
	for i := range p.Versions {
		if p.Versions[i].Version == version {
			return &p.Versions[i]
		}
	}
	return nil
}
