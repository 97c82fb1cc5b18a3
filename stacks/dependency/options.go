package dependency

import "github.com/resource-plugins/krm-functions/api/v1alpha1"

// Options are the options of Resolve and Pin. The zero value is mode keep.
type Options struct {
	v1alpha1.ResolveVersion
	// CreateLock adds a lock to the list if it has none, in mode keep too.
	CreateLock bool
	// PlaceLock annotates a lock that is added with the file that it belongs to, for orchestrators that write files.
	PlaceLock bool
}
