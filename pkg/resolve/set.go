package resolve

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Set is all locks of a list.
type LockSet struct {
	locks    []*Lock // sorted by name
	byAsked  map[string]held
	byChosen map[string]held
	problems []krm.Result
}

type held struct {
	entry v1alpha1.LockEntry
	lock  *Lock
}

// NewSet returns the locks among items. Their order does not count.
func NewLockSet(items []*krm.Item) *LockSet {
	s := &LockSet{byAsked: map[string]held{}, byChosen: map[string]held{}}
	for _, item := range items {
		if item.Kind() == contract.PluginLock && item.APIVersion() == contract.APIVersion {
			s.add(item)
		}
	}
	slices.SortStableFunc(s.locks, func(a, b *Lock) int {
		return cmp.Or(cmp.Compare(a.Item.Name(), b.Item.Name()), cmp.Compare(a.Item.Namespace(), b.Item.Namespace()),
			cmp.Compare(a.Item.PlaceOf("").File, b.Item.PlaceOf("").File), slices.CompareFunc(a.Entries, b.Entries, compare))
	})
	for _, l := range s.locks {
		for _, entry := range l.Entries {
			s.hold(entry, l)
		}
	}
	return s
}

func (s *LockSet) add(item *krm.Item) {
	l, problems := ReadLock(item)
	s.locks = append(s.locks, l)
	for _, problem := range problems {
		result := krm.At(item, problem.Path, problem.Severity, problem.Message)
		if problem.Proposed != nil && result.Field != nil {
			result.Field.ProposedValue = problem.Proposed
		}
		s.problems = append(s.problems, result)
	}
}

func (s *LockSet) hold(entry v1alpha1.LockEntry, l *Lock) {
	if other, ok := s.byAsked[entry.Asked]; !ok {
		s.byAsked[entry.Asked] = held{entry, l}
	} else if other.entry != entry {
		s.disagree(l, "%q must be locked to one version: %s, and %s; remove one", entry.Asked, other, held{entry, l})
	}
	if other, ok := s.byChosen[entry.Chosen]; !ok {
		s.byChosen[entry.Chosen] = held{entry, l}
	} else if other.entry.Digest != entry.Digest {
		s.disagree(l, "%q must be locked with one digest, since versions are immutable: %s, and %s; remove one",
			entry.Chosen, other, held{entry, l})
	}
}

func (s *LockSet) disagree(l *Lock, format string, args ...any) {
	s.problems = append(s.problems, krm.At(l.Item, entriesPath, krm.Error, fmt.Sprintf(format, args...)))
}

// String says who holds what.
func (h held) String() string {
	return fmt.Sprintf("%q has %s for %s (%s)", h.lock.Item.Name(), h.entry.Chosen, h.entry.Asked, h.entry.Digest)
}

// Get returns the entry for a reference and the lock that holds it.
func (s *LockSet) Get(asked string) (v1alpha1.LockEntry, *Lock, bool) {
	found, ok := s.byAsked[asked]
	return found.entry, found.lock, ok
}

// Chosen returns an entry for a version in full, whatever was asked, and the lock that holds it.
func (s *LockSet) Chosen(pin string) (v1alpha1.LockEntry, *Lock, bool) {
	found, ok := s.byChosen[pin]
	return found.entry, found.lock, ok
}

// Entries returns every entry, each reference once, sorted.
func (s *LockSet) Entries() []v1alpha1.LockEntry {
	entries := make([]v1alpha1.LockEntry, 0, len(s.byAsked))
	for _, one := range s.byAsked {
		entries = append(entries, one.entry)
	}
	return sorted(entries)
}

// Sound tells whether everything can be relied on: no lock has a flaw, and no two of them disagree.
func (s *LockSet) Sound() bool {
	return !slices.ContainsFunc(s.problems, func(r krm.Result) bool { return r.Severity == krm.Error })
}

// Empty tells whether there is no lock.
func (s *LockSet) Empty() bool { return len(s.locks) == 0 }

// Problems returns what is wrong with the locks, each by itself and together.
func (s *LockSet) Problems() []krm.Result { return s.problems }
