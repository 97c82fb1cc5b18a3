package function

import (
	"fmt"
	"maps"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// ledger counts what happened to the lock.
type ledger struct{ added, moved, removed int }

// String is a part of the summary, empty where the lock is as it was.
func (l ledger) String() string {
	if l == (ledger{}) {
		return ""
	}
	return fmt.Sprintf("; the lock has %d more, %d moved, %d fewer", l.added, l.moved, l.removed)
}

// writeLock makes the lock hold what was resolved. Without a lock in the list only mode update makes one. Entries that
// nobody asked for stay, since another overlay may share the lock, unless all are updated.
func (r *resolver) writeLock() {
	locks := r.plugins.Locks()
	if locks.Empty() && r.Mode != update {
		return
	}
	entries := map[string]v1alpha1.LockEntry{}
	for _, entry := range locks.Entries() {
		if r.Mode != update || len(r.Update) > 0 || len(r.answers[entry.Asked]) > 0 {
			entries[entry.Asked] = entry
			continue
		}
		r.ledger.removed++
		r.tellLock(entry.Asked, fmt.Sprintf("%q is asked for by no sandbox any more: its entry is removed", entry.Asked))
	}
	for _, asked := range slices.Sorted(maps.Keys(r.answers)) {
		if choice := r.common(asked); choice != nil {
			r.enter(entries, choice.Entry(asked))
		}
	}
	if err := locks.Apply(r.list, slices.Collect(maps.Values(entries)), !r.call.FileMode); err != nil {
		r.list.Report(krm.NewResult(krm.Error, err.Error()))
	}
}

// enter puts an entry into the lock, and tells what moved.
func (r *resolver) enter(entries map[string]v1alpha1.LockEntry, now v1alpha1.LockEntry) {
	old, ok := entries[now.Asked]
	switch {
	case !ok:
		r.ledger.added++
	case old != now:
		r.ledger.moved++
		r.tellLock(now.Asked, fmt.Sprintf("%q moved from %s to %s", now.Asked, old.Chosen, now.Chosen))
	}
	entries[now.Asked] = now
}

// common returns what all sandboxes that still run and ask for the same were resolved to, nil where they were resolved
// to several versions before there was a lock: then only mode update can bring them together.
func (r *resolver) common(asked string) *resolve.Choice {
	var first *resolve.Choice
	for _, one := range r.answers[asked] {
		switch {
		case one.absent && one.pinned():
			continue
		case first == nil:
			first = one.choice
		case first.Name.String() != one.choice.Name.String():
			r.list.Report(krm.At(one.item, one.path, krm.Warning, fmt.Sprintf(
				"%q must mean one version to be locked, not %s and %s: run mode update", asked, first.Name, one.choice.Name)))
			return nil
		}
	}
	return first
}

// tellLock reports what happens to an entry, at the lock that has it.
func (r *resolver) tellLock(asked, message string) {
	if _, by, ok := r.plugins.Locks().Get(asked); ok {
		r.list.Report(krm.At(by.Item, "spec.plugins", krm.Info, message))
	}
}
