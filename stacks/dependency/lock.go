package dependency

import (
	"fmt"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
	"github.com/resource-plugins/krm-functions/stacks/pack"
)

// lockState applies the locks of a list according to the options.
type lockState struct {
	resolve.PackageLocks
	options resolve.Options
	moving  map[string]bool // by full name: packages that are resolved again
	frozen  map[string]bool // packages that are not, since an absent request is pinned to them
}

func newLockState(list *krm.ResourceList, options resolve.Options, requests []*request) *lockState {
	l := &lockState{
		PackageLocks: resolve.NewPackageLocks(list.Items()), options: options,
		moving: map[string]bool{}, frozen: map[string]bool{},
	}
	for _, name := range options.Update {
		l.moving[document.ImageRepository(name)] = true
	}
	for _, r := range requests {
		if r.err != nil || r.field != packagePath {
			continue
		}
		reference, err := pack.ParseReference(r.text)
		if err != nil {
			continue
		}
		key := document.ImageRepository(r.repositoryOf(reference))
		l.moving[key] = l.moving[key] || slices.Contains(options.Update, r.requested())
		l.frozen[key] = l.frozen[key] || r.absent
	}
	return l
}

// moves reports whether a package is to be resolved again although it is locked or pinned. A package of an absent
// request never is: its objects are removed with the version that installed them.
func (l *lockState) moves(name string) bool {
	key := document.ImageRepository(name)
	return l.options.Mode == resolve.Update && !l.frozen[key] && (len(l.options.Update) == 0 || l.moving[key])
}

// decides reports whether a lock determines the version of a package.
func (l *lockState) decides(name string) bool {
	_, by := l.Find(name)
	return by != nil && !l.moves(name)
}

// lockedPackage is the entry of a package, with the lock that contains it.
type lockedPackage struct {
	v1alpha1.LockPackage
	by *krm.Item
}

// apply marks locked versions. If a locked version no longer exists, its package cannot be chosen; if its digest has
// changed, the version cannot be relied on.
func (l *lockState) apply(g *registry) {
	for _, entry := range l.Entries() {
		if !l.decides(entry.Name) {
			continue
		}
		p := g.byName[document.ImageRepository(entry.Name)]
		if p == nil {
			continue // an unknown package is an error only if it is asked for
		}
		_, by := l.Find(entry.Name)
		p.locked = &lockedPackage{entry, by}
		found := p.lockedRelease()
		switch {
		case found == nil:
			p.gone = fmt.Errorf("package %q has no version %s any more, and the lock %q has it: %s; restore it, or run mode update",
				p.name, shownEntry(entry), by.Name(), strictyaml.ThereAre(p.versions()))
		case entry.Digest != "" && found.digest != "" && entry.Digest != found.digest:
			found.broken = &resolve.DocumentError{
				Item: found.item, Path: found.path, Changed: true,
				Message: fmt.Sprintf("version %s of package %q must not change once it is published: the lock %q has it as %s, "+
					"and it is %s now", found.version, p.name, by.Name(), entry.Digest, found.digest),
			}
			found.locked = true
		default:
			found.locked = true
		}
		slices.SortStableFunc(p.releases, compareReleases)
	}
}

// lockedRelease returns the locked version, or nil if the package no longer has it.
func (p *repository) lockedRelease() *release {
	for _, r := range p.releases {
		if p.locked.Version != "" && r.version == p.locked.Version || p.locked.Version == "" && r.digest == p.locked.Digest {
			return r
		}
	}
	return nil
}

func shownEntry(e v1alpha1.LockPackage) string {
	if e.Version != "" {
		return e.Version
	}
	return e.Digest
}
