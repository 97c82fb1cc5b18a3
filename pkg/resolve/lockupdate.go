package resolve

import (
	"fmt"
	"maps"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// updateLock writes the resolved references into the lock. Only mode Update and CreateLock add a lock to a list without
// one. Entries that no sandbox refers to stay, since another overlay may share the lock, unless all entries are
// updated.
func (r *resolver) updateLock() {
	locks := r.catalog.locks
	if len(locks.locks) == 0 && r.Mode != Update && !r.CreateLock {
		return
	}
	entries := map[string]v1alpha1.LockEntry{}
	for _, entry := range locks.entries() {
		if r.Mode != Update || len(r.Update) > 0 || len(r.resolved[entry.Asked]) > 0 {
			entries[entry.Asked] = entry
			continue
		}
		r.report.Lock.Removed++
		r.reportLocked(entry.Asked, fmt.Sprintf("no sandbox refers to %q any more: its entry is removed", entry.Asked))
	}
	for _, requested := range slices.Sorted(maps.Keys(r.resolved)) {
		if choice := r.common(requested); choice != nil {
			r.lock(entries, choice.entryFor(requested))
		}
	}
	if err := locks.write(r.list, slices.Collect(maps.Values(entries)), r.PlaceLock); err != nil {
		r.list.Report(krm.NewResult(krm.Error, err.Error()))
	}
}

// lock sets an entry of the lock, and reports a version that moved.
func (r *resolver) lock(entries map[string]v1alpha1.LockEntry, now v1alpha1.LockEntry) {
	old, ok := entries[now.Asked]
	switch {
	case !ok:
		r.report.Lock.Added++
	case old != now:
		r.report.Lock.Moved++
		r.reportLocked(now.Asked, fmt.Sprintf("%q moved from %s to %s", now.Asked, old.Chosen, now.Chosen))
	}
	entries[now.Asked] = now
}

// common returns the version to which a reference was resolved in all sandboxes that are not absent. It is nil, with a
// warning, if they were resolved to several versions before there was a lock: only mode Update unifies them.
func (r *resolver) common(requested string) *Choice {
	var first *Choice
	for _, ref := range r.resolved[requested] {
		switch {
		case ref.absent && ref.pinned():
			continue
		case first == nil:
			first = ref.choice
		case first.Pin() != ref.choice.Pin():
			r.add(ref, krm.Warning, "%q must resolve to one version to be locked, not %s and %s: run mode update",
				requested, first.Pin(), ref.choice.Pin())
			return nil
		}
	}
	return first
}

// reportLocked reports a change of an entry, at its lock.
func (r *resolver) reportLocked(requested, message string) {
	if locked, ok := r.catalog.locks.byReference[requested]; ok {
		r.list.Report(krm.At(locked.lock.item, entriesPath, krm.Info, message))
	}
}
