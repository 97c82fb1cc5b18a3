package resolve

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// lockSet is all locks of a list.
type lockSet struct {
	locks       []*lock // sorted by name
	byReference map[string]lockedEntry
	byPin       map[string]lockedEntry   // by full version, for any reference
	byPackage   map[string]lockedPackage // by full name
	problems    []krm.Result
}

// lockedEntry is an entry with its lock.
type lockedEntry struct {
	v1alpha1.LockEntry
	lock *lock
}

// String describes the entry for messages.
func (e lockedEntry) String() string {
	return fmt.Sprintf("%q has %s for %s (%s)", e.lock.item.Name(), e.Chosen, e.Asked, e.Digest)
}

// newLockSet returns the locks among items, in any order.
func newLockSet(items []*krm.Item) *lockSet {
	s := &lockSet{byReference: map[string]lockedEntry{}, byPin: map[string]lockedEntry{}, byPackage: map[string]lockedPackage{}}
	for _, item := range items {
		if item.Kind() == contract.PluginLock && item.APIVersion() == contract.APIVersion {
			l, problems := readLock(item)
			s.locks = append(s.locks, l)
			s.problems = append(s.problems, resultsOf(item, problems)...)
		}
	}
	slices.SortStableFunc(s.locks, func(a, b *lock) int {
		return cmp.Or(cmp.Compare(a.item.Name(), b.item.Name()), cmp.Compare(a.item.Namespace(), b.item.Namespace()),
			cmp.Compare(a.item.PlaceOf("").File, b.item.PlaceOf("").File), slices.CompareFunc(a.entries, b.entries, compareLocked))
	})
	for _, l := range s.locks {
		for _, entry := range l.entries {
			s.add(lockedEntry{entry, l})
		}
		for _, entry := range l.packages {
			s.addPackage(lockedPackage{entry, l})
		}
	}
	return s
}

func (s *lockSet) add(e lockedEntry) {
	if other, ok := s.byReference[e.Asked]; !ok {
		s.byReference[e.Asked] = e
	} else if other.LockEntry != e.LockEntry {
		s.conflict(e.lock, "%q must be locked to one version: %s, and %s; remove one", e.Asked, other, e)
	}
	if other, ok := s.byPin[e.Chosen]; !ok {
		s.byPin[e.Chosen] = e
	} else if other.Digest != e.Digest {
		s.conflict(e.lock, "%q must be locked with one digest, since versions are immutable: %s, and %s; remove one",
			e.Chosen, other, e)
	}
}

func (s *lockSet) conflict(l *lock, format string, args ...any) {
	s.problems = append(s.problems, krm.At(l.item, entriesPath, krm.Error, fmt.Sprintf(format, args...)))
}

// entries returns all entries, one for each reference, sorted.
func (s *lockSet) entries() []v1alpha1.LockEntry {
	entries := make([]v1alpha1.LockEntry, 0, len(s.byReference))
	for _, one := range s.byReference {
		entries = append(entries, one.LockEntry)
	}
	return sorted(entries)
}

// isValid reports whether the locks have no errors, each by itself and together.
func (s *lockSet) isValid() bool {
	return !slices.ContainsFunc(s.problems, func(r krm.Result) bool { return r.Severity == krm.Error })
}
