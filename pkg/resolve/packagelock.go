package resolve

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

const packagesPath = specPath + ".packages"

// PackageLocks are the entries of packages in the locks of a list.
type PackageLocks struct{ *lockSet }

// NewPackageLocks returns the locks among items. Their order does not matter.
func NewPackageLocks(items []*krm.Item) PackageLocks { return PackageLocks{newLockSet(items)} }

// Missing reports whether there is no lock at all.
func (p PackageLocks) Missing() bool { return len(p.locks) == 0 }

// Problems returns everything that is wrong with the locks.
func (p PackageLocks) Problems() []krm.Result { return p.problems }

// Valid reports whether the locks are free of errors, each by itself and together.
func (p PackageLocks) Valid() bool { return p.isValid() }

// Find returns the entry of a package, and the document that has it, nil if the package is not locked. Names are compared
// with their registries: redis is docker.io/library/redis.
func (p PackageLocks) Find(name string) (v1alpha1.LockPackage, *krm.Item) {
	locked, ok := p.byPackage[document.ImageRepository(name)]
	if !ok {
		return v1alpha1.LockPackage{}, nil
	}
	return locked.LockPackage, locked.lock.item
}

// Entries returns every entry, sorted.
func (p PackageLocks) Entries() []v1alpha1.LockPackage {
	entries := make([]v1alpha1.LockPackage, 0, len(p.byPackage))
	for _, one := range p.byPackage {
		entries = append(entries, one.LockPackage)
	}
	slices.SortFunc(entries, comparePackages)
	return entries
}

// Write sets the entries of packages in the locks, as resolution does for plugins: an entry stays in the lock that has
// its package, and a new one is added to the first lock by name; without a lock one is added to the list, with the
// annotations of its file if placed is set. A lock that has the right entries in the right order is not touched.
func (p PackageLocks) Write(list *krm.ResourceList, entries []v1alpha1.LockPackage, placed bool) error {
	if err := p.provide(list, len(entries) > 0, placed); err != nil {
		return err
	}
	entries = slices.Clone(entries)
	slices.SortFunc(entries, comparePackages)
	shares := map[*lock][]v1alpha1.LockPackage{}
	for _, entry := range entries {
		owner := p.locks[0]
		if known, ok := p.byPackage[document.ImageRepository(entry.Name)]; ok {
			owner = known.lock
		}
		shares[owner] = append(shares[owner], entry)
	}
	for _, l := range p.locks {
		if slices.EqualFunc(l.packages, shares[l], samePackage) {
			continue
		}
		if err := setEntries(l, "packages", shares[l]); err != nil {
			return err
		}
	}
	return nil
}

// PackageLine writes an entry as a list element of a lock in one line, without those who require the package, for people
// to copy.
func PackageLine(e v1alpha1.LockPackage) string {
	text := "- {name: " + yamlprint.Quote(e.Name, 0)
	if e.Version != "" {
		text += ", version: " + yamlprint.Quote(e.Version, 0)
	}
	if e.Digest != "" {
		text += ", digest: " + e.Digest
	}
	return text + "}"
}

func comparePackages(a, b v1alpha1.LockPackage) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Digest, b.Digest))
}

func samePackage(a, b v1alpha1.LockPackage) bool {
	return comparePackages(a, b) == 0 && slices.Equal(a.Requirers, b.Requirers)
}

// lockedPackage is the entry of a package with its lock.
type lockedPackage struct {
	v1alpha1.LockPackage
	lock *lock
}

func (e lockedPackage) String() string {
	return fmt.Sprintf("%q has %s %s", e.lock.item.Name(), cmp.Or(e.Version, "no version"), e.Digest)
}

// addPackage adds an entry of a lock.
func (s *lockSet) addPackage(e lockedPackage) {
	key := document.ImageRepository(e.Name)
	other, ok := s.byPackage[key]
	switch {
	case !ok:
		s.byPackage[key] = e
	case other.Version != e.Version || other.Digest != e.Digest:
		s.problems = append(s.problems, krm.At(e.lock.item, packagesPath, krm.Error,
			fmt.Sprintf("package %q must be locked to one version: %s, and %s; remove one", e.Name, other, e)))
	}
}

// readPackages returns the valid entries of packages, and the errors of the others.
func readPackages(entries []v1alpha1.LockPackage) (valid []v1alpha1.LockPackage, problems []strictyaml.Problem) {
	indexes := map[string]int{}
	for i, entry := range entries {
		if entry.Name == "" {
			continue // reported by decoding
		}
		at := packagesPath.Index(i)
		if problem := checkLockedPackage(entry, at); problem != nil {
			problems = append(problems, *problem)
			continue
		}
		key := document.ImageRepository(entry.Name)
		if other, ok := indexes[key]; ok {
			if comparePackages(entries[other], entry) != 0 {
				problems = append(problems, strictyaml.Error(at.Key("name"),
					"package %q must be locked once: it is in entry %d with another version or digest; remove one", entry.Name, other))
			}
			continue
		}
		indexes[key] = i
		valid = append(valid, entry)
	}
	return valid, problems
}

func checkLockedPackage(e v1alpha1.LockPackage, at krm.Path) *strictyaml.Problem {
	var problem strictyaml.Problem
	switch wrong := document.CheckImageRepository(e.Name); {
	case wrong != "":
		problem = strictyaml.Error(at.Key("name"), "%s", wrong)
	case e.Version == "" && e.Digest == "":
		problem = strictyaml.Error(at, "must have a version, a digest, or both")
	case e.Digest != "" && !document.IsDigest(e.Digest):
		problem = strictyaml.Error(at.Key("digest"), "must be sha256: and 64 hexadecimal digits in lower case, not %q", e.Digest)
	default:
		return nil
	}
	return &problem
}
