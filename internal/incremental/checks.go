package incremental

import (
	"context"
	"crypto/sha256"
	"maps"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Checks is the cache of documents that are only checked. It implements load.Reuser: sandboxes of which an earlier run found
// nothing are left out. A nil Checks reuses nothing.
type Checks struct {
	*Cache

	extensions []extension.Extension
	seen       Identities
	isWhole    bool // all documents are needed
	read       *load.Package
	kept       map[load.Key]*Sandbox
}

// minSandboxes is so many sandboxes that an index takes less time than to check them all.
var minSandboxes = 256 // 0 in tests

// OpenChecks returns the cache of documents, and with hasBase that of an older state that they are compared with, else nil.
// The error is the reason why nothing can be reused.
func OpenChecks(options Options, hasBase bool, extensions []extension.Extension) (now, base *Checks, err error) {
	before, after, err := OpenSides(options)
	now, base = newChecks(before, after, hasBase, extensions)
	return now, base, err
}

func newChecks(before, after *Cache, hasBase bool, extensions []extension.Extension) (now, base *Checks) {
	if after == nil {
		return nil, nil
	}
	now = &Checks{Cache: after, extensions: extensions}
	if !hasBase {
		after.side.other = nil
		return now, nil
	}
	return now, &Checks{Cache: before, extensions: extensions}
}

// WithoutIndex returns caches that reuse nothing, for a run that starts again.
func (k *Checks) WithoutIndex(hasBase bool) (now, base *Checks) {
	before, after := SidesWithoutIndex(k.Cache)
	return newChecks(before, after, hasBase, k.extensions)
}

// IsReused reports whether documents were left out.
func (k *Checks) IsReused() bool { return k != nil && k.Cache.IsReused() }

// Plan implements load.Reuser.
func (k *Checks) Plan(files []load.Source) []bool {
	unread, _ := k.Cache.Plan(files)
	return unread
}

// Reuse implements load.Reuser.
func (k *Checks) Reuse(documents []load.Keyed) []bool {
	reused := make([]bool, len(documents))
	for i, one := range k.Cache.Reuse(documents) {
		reused[i] = one != nil
	}
	return reused
}

// Read takes the documents that were kept; package parts tells the cache about those that were postponed. It returns
// ErrStale if those that were left out are needed.
func (k *Checks) Read(read *load.Package) error {
	if k == nil {
		return nil
	}
	k.read, k.isWhole = read, false
	k.seen = Identities{}
	clear(k.postponed)
	for _, s := range k.Cache.Reused() {
		k.isWhole = !k.seen.Add(s.Identities[:]...) || k.isWhole
	}
	sum := sha256.New()
	for _, d := range read.Documents {
		if d.Item.Kind() == contract.Sandbox && d.Item.APIVersion() == contract.APIVersion {
			s := ReadSandbox(d.Item, d.Key)
			if k.isWhole = k.isWhole || s == nil || !k.seen.Add(s.Identities[:]...); s != nil {
				k.Postponed(s)
			}
			continue
		}
		k.isWhole = k.isWhole || !IsIndependent(d.Item, k.extensions) || d.Package != ""
		WriteDocument(sum, d.Item, d.Native)
	}
	k.kept = maps.Clone(k.postponed)
	if isSame := k.Confirm(string(sum.Sum(nil))); k.IsReused() && (k.isWhole || !isSame) {
		return ErrStale
	}
	return nil
}

// Found takes the findings in the documents that were kept. Sandboxes without a finding are left out by the next run.
func (k *Checks) Found(results ...krm.Result) {
	if k == nil {
		return
	}
	isFound := map[*krm.Item]bool{}
	for _, one := range results {
		isFound[one.Item()] = true
	}
	for _, d := range k.read.Documents {
		if s := k.postponed[d.Key]; s != nil {
			s.isReusable = !isFound[d.Item]
		}
	}
}

// Reused returns how many sandboxes were left out.
func (k *Checks) Reused() int {
	if k == nil {
		return 0
	}
	return len(k.Cache.Reused())
}

// Leave is Cache.Leave.
func (k *Checks) Leave() {
	if k != nil {
		k.Cache.Leave()
	}
}

// SaveChecks writes the index for the next run, if there are many sandboxes. The base may be nil.
func SaveChecks(ctx context.Context, now, base *Checks) error {
	if now == nil {
		return nil
	}
	for key, s := range now.postponed {
		if now.kept[key] == nil {
			now.isWhole = !now.seen.Add(s.Identities[:]...) || now.isWhole
		}
	}
	if now.isWhole || now.isVoid || len(now.seen) < minSandboxes*len(Sandbox{}.Identities) {
		return nil
	}
	next := newBuilder(now.documents)
	next.addAll(now.Cache, now.read)
	if base != nil && base.documents == now.documents {
		next.addAll(base.Cache, base.read) // none of its sandboxes was checked, but its files may have those of today
	}
	return now.store.write(ctx, &next.index)
}
