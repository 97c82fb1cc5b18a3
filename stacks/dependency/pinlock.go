package dependency

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
	"github.com/resource-plugins/krm-functions/stacks/imageref"
)

func lockEntry(c *Chosen) v1alpha1.LockPackage {
	entry := v1alpha1.LockPackage{Name: c.Name, Version: c.Version, Digest: c.Digest}
	for _, by := range c.Requirers {
		entry.Requirers = append(entry.Requirers, v1alpha1.LockRequirer(by))
	}
	return entry
}

// updateLock writes the chosen versions to the lock. If the list has no lock, one is added only in mode update or with
// CreateLock. Entries that are no longer required stay, since another overlay may share the lock, unless all entries
// are updated.
func (r *resolver) updateLock(stats *resolve.LockStats) {
	if r.locks.Missing() && r.Mode != resolve.Update && !r.CreateLock {
		return
	}
	chosen := map[string]*Chosen{}
	for _, c := range r.resolution.Chosen {
		if c.Version != "" || c.Digest != "" {
			chosen[document.ImageRepository(c.Name)] = c
		}
	}
	var entries []v1alpha1.LockPackage
	for _, old := range r.locks.Entries() {
		key := document.ImageRepository(old.Name)
		c := chosen[key]
		delete(chosen, key)
		switch {
		case c != nil:
			entries = append(entries, r.moveEntry(old, c, stats))
		case r.Mode != resolve.Update || len(r.Update) > 0:
			entries = append(entries, old)
		default:
			stats.Removed++
			r.reportLocked(old.Name, fmt.Sprintf("package %q is no longer required: its entry is removed", old.Name))
		}
	}
	for _, c := range chosen {
		stats.Added++
		entries = append(entries, lockEntry(c))
	}
	if err := r.locks.Write(r.list, entries, r.PlaceLock); err != nil {
		r.list.Report(krm.NewResult(krm.Error, err.Error()))
	}
}

// moveEntry returns the updated entry of a package. Requirers that are not in the list stay, since another overlay may
// share the lock, unless all entries are updated.
func (r *resolver) moveEntry(old v1alpha1.LockPackage, c *Chosen, stats *resolve.LockStats) v1alpha1.LockPackage {
	entry := lockEntry(c)
	entry.Name, entry.Digest = old.Name, cmp.Or(entry.Digest, old.Digest)
	if old.Version != entry.Version || old.Digest != entry.Digest && old.Digest != "" {
		stats.Moved++
		r.reportLocked(old.Name, fmt.Sprintf("package %q moved from %s to %s", old.Name, shownEntry(old), shownEntry(entry)))
		return entry
	}
	if r.Mode == resolve.Update && len(r.Update) == 0 {
		return entry
	}
	here := map[string]bool{}
	for _, one := range r.requests {
		here[one.by()] = true
	}
	for _, one := range r.resolution.Chosen {
		here[document.ImageRepository(one.Name)] = true
	}
	var others []v1alpha1.LockRequirer
	for _, by := range old.Requirers {
		if name, _, _ := imageref.Split(by.By); !here[by.By] && !here[document.ImageRepository(name)] {
			others = append(others, by)
		}
	}
	// If the requirers are the same, they keep their order, so that the entry does not change.
	if all := slices.Concat(others, entry.Requirers); len(all) == len(old.Requirers) &&
		!slices.ContainsFunc(all, func(by v1alpha1.LockRequirer) bool { return !slices.Contains(old.Requirers, by) }) {
		entry.Requirers = old.Requirers
	} else {
		entry.Requirers = append(entry.Requirers, others...)
	}
	return entry
}

// reportLocked reports a change of an entry at the lock that contains it.
func (r *resolver) reportLocked(name, message string) {
	if _, by := r.locks.Find(name); by != nil {
		r.list.Report(krm.At(by, specPath+".packages", krm.Info, message))
	}
}
