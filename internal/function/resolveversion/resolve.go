package resolveversion

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// Resolved counts the resolved references.
type Resolved struct {
	Plugins resolve.Report
	// Others are the counts of extensions.
	Others []extension.Resolved
}

// Resolve pins every reference of a list: those of sandboxes to plugins, and those of documents of extensions. It updates
// the lock. Besides krm.OptionErrors, with which nothing is resolved unless Plugins.Sandboxes says otherwise, an error means
// that the list cannot be processed.
func Resolve(list *krm.ResourceList, options resolve.Options, extensions ...extension.Extension) (r Resolved, err error) {
	resolvers := extension.Resolvers(extensions)
	options.Others = map[string]bool{}
	for _, one := range resolvers {
		maps.Copy(options.Others, one.Names(list))
	}
	r.Plugins, err = resolve.Resolve(list, options)
	var wrong krm.OptionErrors
	if err != nil && (!errors.As(err, &wrong) || r.Plugins.Sandboxes == 0) {
		return r, err
	}
	for _, one := range resolvers {
		resolved, failed := one.Resolve(list, options)
		r.Others = append(r.Others, resolved)
		if failed != nil {
			return r, failed
		}
	}
	return r, err
}

// String counts the resolved references. Sandboxes are counted even if the list has no sandboxes, unless other
// documents were resolved.
func (r Resolved) String() string {
	var others []string
	lock := r.Plugins.Lock
	for _, one := range r.Others {
		if one.References > 0 {
			others = append(others, one.Text)
		}
		lock.Added += one.Lock.Added
		lock.Moved += one.Lock.Moved
		lock.Removed += one.Lock.Removed
	}
	var counts []string
	if r.Plugins.Sandboxes > 0 || len(others) == 0 {
		counts = append(counts, fmt.Sprintf("%s of %s to %s", report.Count(r.Plugins.References, "reference"),
			report.Count(r.Plugins.Sandboxes, "sandbox"), report.Count(r.Plugins.Versions, "plugin version")))
	}
	text := "resolved " + strings.Join(append(counts, others...), ", and ")
	if lock != (resolve.LockStats{}) {
		text += fmt.Sprintf("; the lock has %d more, %d moved, %d fewer", lock.Added, lock.Moved, lock.Removed)
	}
	return text
}
