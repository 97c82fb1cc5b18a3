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
package lock

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/decode"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Lock is a PluginLock document.
type Lock struct {
	// Item is the document as it came.
	Item *krm.Item
	// Entries are in the document's order.
	Entries []Entry
}

// Spec is what a lock holds.
type Spec struct {
	// Plugins are the entries, one a reference, sorted by what was asked when printed.
	Plugins []Entry `json:"plugins"`
}

// Entry is what one reference resolved to.
type Entry struct {
	// Asked is the reference as sandboxes have it: bare, a pin, a range or a channel.
	Asked string `json:"asked" required:"true"`
	// Chosen is the version in full, such as `hello-db@1.2.0`.
	Chosen string `json:"chosen" required:"true"`
	// Digest is the digest of that version's document (package digest).
	Digest string `json:"digest" required:"true"`
}

// String writes the entry as a list element of a lock in one line, for people to copy.
func (e Entry) String() string {
	return fmt.Sprintf("- {asked: %s, chosen: %s, digest: %s}", flowText(e.Asked), e.Chosen, e.Digest)
}

const (
	specPath    krm.Path = "spec"
	entriesPath krm.Path = "spec.plugins"
)

// Read decodes a document. It returns the lock with the entries that are sound, and everything that is not.
func Read(item *krm.Item) (*Lock, []decode.Problem) {
	var spec Spec
	problems := decode.Into(krm.Value(item.YNode(), "spec"), specPath, &spec)
	l := &Lock{Item: item}
	byAsked := map[string]int{}
	for i, entry := range spec.Plugins {
		if incomplete(entry) {
			continue // which decoding told
		}
		if problem := entry.check(entriesPath.Index(i)); problem != nil {
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

func incomplete(e Entry) bool { return e.Asked == "" || e.Chosen == "" || e.Digest == "" }

func sorted(entries []Entry) []Entry {
	entries = slices.Clone(entries)
	slices.SortFunc(entries, compare)
	return entries
}

func compare(a, b Entry) int {
	return cmp.Or(cmp.Compare(a.Asked, b.Asked), cmp.Compare(a.Chosen, b.Chosen), cmp.Compare(a.Digest, b.Digest))
}

// flowText quotes a reference where it would not be one plain word between braces.
func flowText(text string) string {
	if isAmbiguous(text) || strings.ContainsAny(text, " ,#*&!|>'\"%{}[]") {
		return strconv.Quote(text)
	}
	return text
}
