package v1alpha1

// PluginLockSpec is what a lock holds.
type PluginLockSpec struct {
	// Plugins are the entries, one for each reference, sorted by the reference when printed.
	Plugins []LockEntry `json:"plugins"`
}

// LockEntry is what one reference resolved to.
type LockEntry struct {
	// Asked is the reference as sandboxes have it: bare, a pin, a range or a channel.
	Asked string `json:"asked" required:"true"`
	// Chosen is the version in full, such as `hello-db@1.2.0`.
	Chosen string `json:"chosen" required:"true"`
	// Digest is the digest of that version's document (package digest).
	Digest string `json:"digest" required:"true"`
}
