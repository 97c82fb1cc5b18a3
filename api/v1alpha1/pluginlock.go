package v1alpha1

// PluginLockSpec is the content of a lock.
type PluginLockSpec struct {
	// Plugins are the entries, one for each reference, sorted by the reference when printed.
	Plugins []LockEntry `json:"plugins"`
	// Packages are the Crossplane packages that install requests need, each once, sorted by name when printed.
	Packages []LockPackage `json:"packages,omitempty"`
}

// LockEntry is the resolution of one reference.
type LockEntry struct {
	// Asked is the reference as sandboxes have it: a bare name, a version, a range or a channel.
	Asked string `json:"asked" required:"true"`
	// Chosen is the version in full, such as `hello-db@1.2.0`.
	Chosen string `json:"chosen" required:"true"`
	// Digest is the digest of that version's document.
	Digest string `json:"digest" required:"true"`
}

// LockPackage is the version of a package that was chosen for all its requirers.
type LockPackage struct {
	// Name is the repository of the package's image, without a tag.
	Name string `json:"name" required:"true"`
	// Version is the tag of the image; empty if only its digest is known.
	Version string `json:"version,omitempty"`
	// Digest is the digest of the image's manifest; empty if only its tag is known.
	Digest string `json:"digest,omitempty"`
	// Requirers are all requests and packages that need the package, with their constraints.
	Requirers []LockRequirer `json:"requirers,omitempty"`
}

// LockRequirer is a request or a package that needs a package.
type LockRequirer struct {
	// By is a request, `KIND NAME` or `KIND NAMESPACE/NAME`, or a package, `NAME:VERSION`.
	By string `json:"by" required:"true"`
	// Constraint is the constraint: a version, a range, a digest or a CRD; empty means any release.
	Constraint string `json:"constraint,omitempty"`
}
