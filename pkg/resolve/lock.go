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

// lock is a PluginLock document: the resolution of each plugin reference. A locked reference resolves to the same
// version until the lock is updated.
//
//	apiVersion: resourceplugins.dev/v1alpha1
//	kind: PluginLock
//	metadata:
//	  name: plugin-lock
//	  annotations:
//	    config.kubernetes.io/local-config: "true"
//	spec:
//	  plugins:
//	  - asked: hello-db@^1
//	    chosen: hello-db@1.2.0
//	    digest: sha256:baad84644d49e41ee9a26ce99eb3e6db93069d607644f519c895a1e6f9b79fa7
//
// Entries are sorted by reference and have three lines each, so that branches with different additions merge. There is
// no timestamp: the same resolution is the same bytes.
type lock struct {
	item *krm.Item
	// entries and packages are in the document's order.
	entries  []v1alpha1.LockEntry
	packages []v1alpha1.LockPackage
}

const entriesPath krm.Path = "spec.plugins"

// CheckLock returns all problems of a PluginLock document by itself.
func CheckLock(item *krm.Item) []krm.Result {
	_, problems := readLock(item)
	return resultsOf(item, problems)
}

// readLock decodes a document. It returns the lock with its valid entries, and all problems.
func readLock(item *krm.Item) (*lock, []strictyaml.Problem) {
	var spec v1alpha1.PluginLockSpec
	problems := append(document.RepeatedKeys(item), strictyaml.Into(krm.Value(item.YNode(), "spec"), specPath, &spec)...)
	l := &lock{item: item}
	indexes := map[string]int{} // by reference
	for i, entry := range spec.Plugins {
		if entry.Asked == "" || entry.Chosen == "" || entry.Digest == "" {
			continue // reported by decoding
		}
		if problem := checkEntry(entry, entriesPath.Index(i)); problem != nil {
			problems = append(problems, *problem)
			continue
		}
		if other, ok := indexes[entry.Asked]; ok {
			if spec.Plugins[other] != entry {
				problems = append(problems, strictyaml.Error(entriesPath.Index(i).Key("asked"),
					"%q must be locked once: it is in entry %d with another version or digest; remove one", entry.Asked, other))
			}
			continue
		}
		indexes[entry.Asked] = i
		l.entries = append(l.entries, entry)
	}
	packages, wrong := readPackages(spec.Packages)
	l.packages = packages
	return l, append(problems, wrong...)
}

// checkEntry returns the problem of an entry, or nil.
func checkEntry(e v1alpha1.LockEntry, at krm.Path) *strictyaml.Problem {
	var problem strictyaml.Problem
	reference, err := document.ParsePluginReference(e.Asked)
	chosen, chosenErr := document.ParsePluginName(e.Chosen)
	switch {
	case err != nil:
		problem = strictyaml.Error(at.Key("asked"), "must be a reference to a plugin: %s", err)
	case chosenErr != nil:
		problem = strictyaml.Error(at.Key("chosen"), "must be a version in full, such as hello-db@1.0.0: %s", chosenErr)
	case chosen.String() != e.Chosen:
		problem = strictyaml.Error(at.Key("chosen"), "must be a version in full: write %q", chosen)
		problem.Proposed = chosen.String()
	case chosen.Bare != reference.Bare:
		problem = strictyaml.Error(at.Key("chosen"), "must be a version of %q, not %q", reference.Bare, e.Chosen)
	case !reference.Admits(chosen.Version):
		problem = strictyaml.Error(at.Key("chosen"), "must be a version that %q allows, not %q: run mode update",
			e.Asked, e.Chosen)
	case !document.IsDigest(e.Digest):
		problem = strictyaml.Error(at.Key("digest"), "must be sha256: and 64 hexadecimal digits in lower case, not %q", e.Digest)
	default:
		return nil
	}
	return &problem
}

func sorted(entries []v1alpha1.LockEntry) []v1alpha1.LockEntry {
	entries = slices.Clone(entries)
	slices.SortFunc(entries, compareLocked)
	return entries
}

func compareLocked(a, b v1alpha1.LockEntry) int {
	return cmp.Or(cmp.Compare(a.Asked, b.Asked), cmp.Compare(a.Chosen, b.Chosen), cmp.Compare(a.Digest, b.Digest))
}

// lockLine writes an entry as an element of a lock in one line, for users to copy.
func lockLine(e v1alpha1.LockEntry) string {
	return fmt.Sprintf("- {asked: %s, chosen: %s, digest: %s}", yamlprint.Quote(e.Asked, 0), e.Chosen, e.Digest)
}
