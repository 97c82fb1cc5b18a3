package v1alpha1

// Spec is what a lock holds.
type PluginLockSpec struct {
	// Plugins are the entries, one a reference, sorted by what was asked when printed.
	Plugins []LockEntry `json:"plugins"`
}

// Entry is what one reference resolved to.
type LockEntry struct {
	// Asked is the reference as sandboxes have it: bare, a pin, a range or a channel.
	Asked string `json:"asked" required:"true"`
	// Chosen is the version in full, such as `hello-db@1.2.0`.
	Chosen string `json:"chosen" required:"true"`
	// Digest is the digest of that version's document (package digest).
	Digest string `json:"digest" required:"true"`
}
