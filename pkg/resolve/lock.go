// Package lock reads and writes PluginLock documents: what each reference of a sandbox to a plugin was resolved to. A
// reference that is locked means the same version until somebody moves the lock on purpose.
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
// Entries are sorted by what was asked, and each takes three lines, so that branches which add different ones merge.
// There is no timestamp: the same resolution is the same bytes.
package resolve

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Lock is a PluginLock document.
type Lock struct {
	// Item is the document as it came.
	Item *krm.Item
	// Entries are in the document's order.
	Entries []v1alpha1.LockEntry
}

// Line writes an entry as a list element of a lock in one line, for people to copy.
func LockLine(e v1alpha1.LockEntry) string {
	return fmt.Sprintf("- {asked: %s, chosen: %s, digest: %s}", flowText(e.Asked), e.Chosen, e.Digest)
}

const (
	lockSpecPath krm.Path = "spec"
	entriesPath  krm.Path = "spec.plugins"
)

// Read decodes a document. It returns the lock with the entries that are sound, and everything that is not.
func ReadLock(item *krm.Item) (*Lock, []strictyaml.Problem) {
	var spec v1alpha1.PluginLockSpec
	problems := strictyaml.Into(krm.Value(item.YNode(), "spec"), lockSpecPath, &spec)
	l := &Lock{Item: item}
	byAsked := map[string]int{}
	for i, entry := range spec.Plugins {
		if incomplete(entry) {
			continue // which decoding told
		}
		if problem := checkEntry(entry, entriesPath.Index(i)); problem != nil {
			problems = append(problems, *problem)
			continue
		}
		if other, ok := byAsked[entry.Asked]; ok {
			if spec.Plugins[other] != entry {
				problems = append(problems, fault(entriesPath.Index(i).Key("asked"),
					"%q must be locked once: it is in entry %d with another version or digest; remove one", entry.Asked, other))
			}
			continue
		}
		byAsked[entry.Asked] = i
		l.Entries = append(l.Entries, entry)
	}
	return l, problems
}

func incomplete(e v1alpha1.LockEntry) bool { return e.Asked == "" || e.Chosen == "" || e.Digest == "" }

func sorted(entries []v1alpha1.LockEntry) []v1alpha1.LockEntry {
	entries = slices.Clone(entries)
	slices.SortFunc(entries, compare)
	return entries
}

func compare(a, b v1alpha1.LockEntry) int {
	return cmp.Or(cmp.Compare(a.Asked, b.Asked), cmp.Compare(a.Chosen, b.Chosen), cmp.Compare(a.Digest, b.Digest))
}

// flowText quotes a reference where it would not be one plain word between braces.
func flowText(text string) string {
	if isAmbiguous(text) || strings.ContainsAny(text, " ,#*&!|>'\"%{}[]") {
		return strconv.Quote(text)
	}
	return text
}
