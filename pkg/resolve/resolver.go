package resolve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// resolver pins the references of a list's sandboxes.
type resolver struct {
	Options
	list      *krm.ResourceList
	catalog   *Catalog
	sandboxes []*sandbox
	frozen    map[string]string // the absent sandbox that keeps a reference from moving
	report    Report
	wrong     krm.OptionErrors // names of Options.Update that no sandbox refers to

	resolved map[string][]*reference // by requested reference
	failures map[string][]*reference // by message
}

func newResolver(list *krm.ResourceList, catalog *Catalog, options Options, sandboxes []*sandbox) *resolver {
	r := &resolver{
		Options: options, list: list, catalog: catalog, sandboxes: sandboxes,
		report:   Report{Sandboxes: len(sandboxes), pins: map[string]bool{}},
		frozen:   map[string]string{},
		resolved: map[string][]*reference{}, failures: map[string][]*reference{},
	}
	used := map[string]bool{} // the names that an entry of Update may have
	for _, s := range sandboxes {
		for _, ref := range s.references {
			if name, ok := r.frozen[ref.requested]; s.absent && (!ok || s.name < name) {
				r.frozen[ref.requested] = s.name
			}
			used[ref.requested], used[bareName(ref.requested)] = true, true
		}
	}
	for i, name := range options.Update {
		if !used[name] && !options.Others[name] {
			r.wrong.Add(krm.Path("update").Index(i), "must be a plugin, a package or a reference of a document, not %q", name)
		}
	}
	return r
}

// lacksLock reports whether references must be locked but the list has no lock.
func (r *resolver) lacksLock() bool {
	return r.Mode == Locked && len(r.catalog.locks.locks) == 0 &&
		slices.ContainsFunc(r.sandboxes, func(s *sandbox) bool { return len(s.references) > 0 })
}

func bareName(reference string) string {
	name, _, _ := strings.Cut(reference, "@")
	return name
}

// resolve resolves all references, then updates the lock if nothing failed.
func (r *resolver) resolve() {
	for _, s := range r.sandboxes {
		r.list.Report(s.problems...)
		if s.unread != nil {
			r.fail(&reference{sandbox: s}, s.unread)
			continue
		}
		for _, ref := range s.references {
			var err error
			if s.record[ref.resource], err = r.pin(ref); err != nil {
				r.fail(ref, err)
			}
		}
		s.record.write(s.item)
	}
	r.reportFailures()
	r.reportFloating()
	if r.Mode != Locked && len(r.failures) == 0 && r.catalog.locks.isValid() {
		r.updateLock()
	}
	r.report.Versions = len(r.report.pins)
}

// pin pins one reference and returns its new record. If it cannot be pinned, the record stays.
func (r *resolver) pin(ref *reference) (Resolution, error) {
	if ref.stale != nil {
		r.add(ref, krm.Info, "%q was edited after %q had been resolved to %q: the edit counts, the old request is dropped",
			ref.text, ref.stale.Requested, ref.stale.Pin)
	}
	choice, err := r.choose(ref)
	if err == nil {
		err = choice.Confirm(ref.last)
	}
	if err != nil {
		return ref.last, err
	}
	now := Resolution{Requested: ref.last.Requested, Pin: choice.Pin(), Digest: choice.Digest}
	if now.Pin != ref.text {
		if err := ref.item.Set(ref.path, now.Pin); err != nil {
			return ref.last, fmt.Errorf("reference must be pinned to %q by hand: %w", now.Pin, err)
		}
		now.Requested = ref.requested
	}
	ref.choice = choice
	r.report.References++
	r.report.pins[now.Pin] = true
	r.resolved[ref.requested] = append(r.resolved[ref.requested], ref)
	r.reportChoice(ref)
	return now, nil
}

// choose returns the version that a reference now resolves to.
func (r *resolver) choose(ref *reference) (*Choice, error) {
	_, isLocked := r.catalog.locks.byReference[ref.requested]
	switch {
	case r.moves(ref.requested):
		return r.catalog.ChooseFresh(ref.requested)
	case ref.pinned() && (ref.absent || !isLocked && r.Mode != Locked):
		return r.catalog.ChooseFresh(ref.text)
	case r.Mode == Locked:
		return r.chooseLocked(ref, isLocked)
	}
	choice, err := r.catalog.Choose(ref.requested)
	if err == nil && ref.absent {
		err = choice.Settled(ref.requested)
	}
	return choice, err
}

// chooseLocked rejects every choice that would change the lock.
func (r *resolver) chooseLocked(ref *reference, isLocked bool) (*Choice, error) {
	choice, err := r.catalog.Choose(ref.requested)
	if ref.pinned() && !isLocked {
		choice, err = r.catalog.ChooseFresh(ref.text)
	}
	switch {
	case err != nil:
		return nil, err
	case !isLocked:
		return nil, referenceError("%q must be in the lock: run rplug resolve --write-lock FILE PATH, or add %s",
			ref.requested, lockLine(choice.entryFor(ref.requested)))
	case ref.pinned() && choice.Pin() != ref.text:
		wrong := referenceError("must be what %q is locked to (%s), not %q: run mode keep to take it over",
			ref.requested, choice.Pin(), ref.text)
		wrong.Proposed = choice.Pin()
		return nil, wrong
	}
	return choice, nil
}

// moves reports whether a locked or pinned reference is resolved again. A reference of an absent sandbox never is: its
// delete phase has to run the version that created its resources.
func (r *resolver) moves(requested string) bool {
	if _, frozen := r.frozen[requested]; frozen || r.Mode != Update {
		return false
	}
	return len(r.Update) == 0 || slices.Contains(r.Update, requested) || slices.Contains(r.Update, bareName(requested))
}
