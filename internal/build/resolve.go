package build

import (
	"errors"
	"fmt"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
	stackresolve "github.com/resource-plugins/krm-functions/stacks/dependency"
)

// ResolveOptions are the options of Resolve.
type ResolveOptions struct {
	v1alpha1.ResolveVersion
	// CreateLock and PlaceLock are the options of the same names in resolve.Options.
	CreateLock, PlaceLock bool
}

// Resolved counts the resolved references and requests.
type Resolved struct {
	Plugins  resolve.Report
	Packages stackresolve.Report
}

// Resolve pins all plugin references of a list's sandboxes and all install requests, and updates the lock. For
// krm.OptionErrors nothing is resolved, unless Plugins.Sandboxes specifies otherwise; any other error means that the list
// cannot be processed.
func Resolve(list *krm.ResourceList, options ResolveOptions) (r Resolved, err error) {
	r.Plugins, err = resolve.Resolve(list, resolve.Options{
		ResolveVersion: options.ResolveVersion, CreateLock: options.CreateLock, PlaceLock: options.PlaceLock,
		Others: stackresolve.Names(list),
	})
	var invalid krm.OptionErrors
	if err != nil && (!errors.As(err, &invalid) || r.Plugins.Sandboxes == 0) {
		return r, err
	}
	var failed error
	r.Packages, failed = stackresolve.Pin(list, stackresolve.Options{
		ResolveVersion: options.ResolveVersion, CreateLock: options.CreateLock, PlaceLock: options.PlaceLock,
	})
	if failed != nil {
		err = failed
	}
	return r, err
}

// String summarizes the resolved references. Sandboxes are included even if their number is 0, unless there are requests.
func (r Resolved) String() string {
	var counts []string
	if r.Plugins.Sandboxes > 0 || r.Packages.Requests == 0 {
		counts = append(counts, fmt.Sprintf("%s of %s to %s", cli.Count(r.Plugins.References, "reference"),
			cli.Count(r.Plugins.Sandboxes, "sandbox"), cli.Count(r.Plugins.Versions, "plugin version")))
	}
	if r.Packages.Requests > 0 {
		counts = append(counts, fmt.Sprintf("%d of %s to %s", r.Packages.Resolved, cli.Count(r.Packages.Requests, "request"),
			cli.Count(r.Packages.Packages, "package")))
	}
	text := "resolved " + strings.Join(counts, ", and ")
	lock := r.Plugins.Lock
	lock.Added += r.Packages.Lock.Added
	lock.Moved += r.Packages.Lock.Moved
	lock.Removed += r.Packages.Lock.Removed
	if lock != (resolve.LockStats{}) {
		text += fmt.Sprintf("; the lock has %d more, %d moved, %d fewer", lock.Added, lock.Moved, lock.Removed)
	}
	return text
}
