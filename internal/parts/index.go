package parts

import (
	"sync"

	"github.com/resource-plugins/krm-functions/internal/incremental"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// fewSandboxes are rendered all at once: it takes less time, and little memory.
const fewSandboxes = 256

// index has the facts about all sandboxes that are needed to render them one by one: that no two have a name, an id or a
// routing key in common, and that each reference means one version. It implements load.Postponer.
type index struct {
	options Options
	few     int // so many sandboxes are rendered all at once

	mu        sync.Mutex
	sandboxes int
	seen      incremental.Identities
	clusters  map[string]bool
	pins      map[string]string // the reference that is written, by the one that was asked for
	isMixed   bool              // it is not the same everywhere
	isWhole   bool              // all documents are needed at once
}

// Postpone implements load.Postponer. Sandboxes that have resources and nothing else are postponed: rendered forks and their
// routes depend on those of other sandboxes.
func (x *index) Postpone(d load.Document) bool {
	if x.options.Rendering == nil {
		return x.isAlone(d.Item)
	}
	isOne := isSandbox(d.Item)
	if !isOne && incremental.IsIndependent(d.Item, x.options.Extensions) {
		return false
	}
	var s *incremental.Sandbox
	if isOne && d.Package == "" && !resolve.IsBuilt(d.Item) && !x.needsAll() {
		s = incremental.ReadSandbox(d.Item, d.Key)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.isWhole = x.isWhole || s == nil || !x.add(s); x.isWhole {
		return false
	}
	x.sandboxes++
	if x.options.Cache != nil {
		x.options.Cache.Postponed(s)
	}
	return true
}

// needsAll reports whether it is known already that all documents are needed at once.
func (x *index) needsAll() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.isWhole
}

// Plan implements load.Reuser.
func (x *index) Plan(files []load.Source) []bool {
	unread, reused := x.options.Cache.Plan(files)
	for _, one := range reused {
		x.reuse(one)
	}
	return unread
}

// Reuse implements load.Reuser.
func (x *index) Reuse(documents []load.Keyed) []bool {
	reused := make([]bool, len(documents))
	for i, one := range x.options.Cache.Reuse(documents) {
		if reused[i] = one != nil; one != nil {
			x.reuse(one)
		}
	}
	return reused
}

// reuse adds a sandbox that an earlier run has read.
func (x *index) reuse(one *incremental.Sandbox) {
	x.isWhole = !x.add(one) || x.isWhole
	x.sandboxes++
}

// EvenIfFew lets few sandboxes be rendered in parts, too: for tests.
func (x *index) EvenIfFew() { x.few = 0 }

// Suffices implements load.Postponer.
func (x *index) Suffices() bool {
	if x.options.Rendering != nil {
		x.seen = nil
	}
	isMissing := x.options.Cluster != "" && !x.clusters[x.options.Cluster]
	return !x.isWhole && !isMissing && (x.options.Cluster != "" || len(x.clusters) <= 1) && (x.sandboxes > x.few || x.few == 0)
}

// add adds a sandbox, and reports whether it depends on no other one.
func (x *index) add(s *incremental.Sandbox) bool {
	if !x.seen.Add(s.Identities[:]...) {
		return false
	}
	x.clusters[s.Cluster] = true
	for asked, pin := range s.Pins {
		if other, found := x.pins[asked]; found && other != pin {
			x.isMixed = true
		}
		x.pins[asked] = pin
	}
	return true
}
