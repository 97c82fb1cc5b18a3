package v1alpha1

// CatalogSpec is what a catalog lists.
type CatalogSpec struct {
	// Description says whose catalog it is and what it is for.
	Description string `json:"description,omitempty"`
	// Priority decides between several catalogs. Of the versions that fit a reference, only those of the catalogs with the
	// highest priority are considered, so a catalog with a lower one cannot take over a name. What catalogs of a lower
	// priority say about a version does not count, but their digests must agree. The default is 0, which is also the priority
	// of plugin documents that no catalog lists.
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
	// Description says what the plugin is for.
	Description string `json:"description,omitempty"`
	// Deprecated says why no version should be chosen any more, and what to use instead. References are still resolved, with
	// a warning.
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
	// Description says what is new in this version.
	Description string `json:"description,omitempty"`
	// Released is the day of the release, such as "2026-01-20". It is shown to people and decides nothing.
	Released string `json:"released,omitempty"`
	// Deprecated says why another version should be chosen. A range, a channel or a bare name is resolved to the version only
	// if no other one fits, with a warning.
	Deprecated string `json:"deprecated,omitempty"`
	// Yanked says why the version must not be chosen. A range, a channel or a bare name is never resolved to it. A pin or a
	// lock is, with a warning, since what was created with a version has to be deleted with it.
	Yanked string `json:"yanked,omitempty"`
	// Requires is what a cluster must have to run the version.
	Requires Requires `json:"requires,omitzero"`
	// Source says where the document is: a URL, an OCI reference or a path relative to the catalog. Functions only show it.
	Source string `json:"source,omitempty"`
}

// Requires is what a cluster must have for a version to run on it.
type Requires struct {
	// Kubernetes is the lowest version of Kubernetes, such as "1.29" or "1.29.3".
	Kubernetes string `json:"kubernetes,omitempty"`
}

// Version returns the entry of a version as it is spelled, nil if there is none.
func (p *CatalogPlugin) Version(version string) *CatalogVersion {
	for i := range p.Versions {
		if p.Versions[i].Version == version {
			return &p.Versions[i]
		}
	}
	return nil
}
