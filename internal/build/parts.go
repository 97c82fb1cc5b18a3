package build

import (
	"slices"
	"sync"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/incremental"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// Parts runs a chain on a part of the sandboxes at a time, on all cores, each time with the documents that they may refer
// to. So neither all sandboxes nor all rendered objects are in memory. Objects and findings are those of Chain.Run, or Run
// reports that it takes all documents at once to know them.
type Parts struct {
	*index
	chain Chain
}

// InParts returns the parts of a chain; nil if its options need all documents at once. Sandboxes of the cache, which may be
// nil, are not rendered again.
func (c Chain) InParts(cache *incremental.Cache) *Parts {
	isPinned := c.Resolve.Mode == "" || c.Resolve.Mode == resolve.Keep || c.Resolve.Mode == resolve.Locked
	if !isPinned || len(c.Resolve.Update) > 0 || len(c.Render.Namespaces) > 0 || c.Sandbox.Baseline || c.Base != nil {
		return nil
	}
	return &Parts{chain: c, index: &index{
		cache: cache, few: fewSandboxes, cluster: c.Render.Cluster, extensions: c.Extensions,
		seen: incremental.Identities{}, clusters: map[string]bool{}, pins: map[string]string{},
	}}
}

// partsRun is one run of Parts.
type partsRun struct {
	chain     Chain
	list      *krm.ResourceList // the documents that are not postponed
	documents cli.Postponed
	cache     *incremental.Cache
	alone     map[string]bool // what was found without sandboxes
	kept      []*krm.Item     // those that a sandbox may refer to, or the names of which it may have
	size      int             // of a part, in sandboxes
	// inTurn is held by the part that may change a lock.
	inTurn  sync.Mutex
	hasLock bool

	shared   map[krm.ResourceRef]bool // objects that were printed
	total    Result
	together render.Together
	found    krm.Results
	sorted   int // how many were found when they were sorted last
	// inputs is the size of all sandboxes, and outputs that of all objects: see render.IsExcess.
	inputs, outputs int
	isWhole         bool // all documents are needed at once
	err             error
}

// part is the outcome for a part of the sandboxes.
type part struct {
	Result
	found  krm.Results
	inputs int // the size of the sandboxes
	err    error

	sandboxes []rendered // with a cache
}

// Run runs the chain on the list of the call, and on the postponed sandboxes. It prints the objects, and reports the
// findings to the list. It returns false if all documents are needed at once.
func (p *Parts) Run(chain Chain, call cli.Call, documents cli.Postponed) (total Result, done bool, err error) {
	r := &partsRun{chain: chain, list: call.List, documents: documents, shared: map[krm.ResourceRef]bool{}, cache: p.cache}
	if !p.arrange(r) || !r.reuse(call) {
		return Result{}, false, nil
	}
	alone, err := chain.Run(call.List)
	if err != nil || call.List.Results().Failed() || len(alone.Objects) > 0 {
		return Result{}, false, nil //nolint:nilerr // the error is that of all documents, too
	}
	r.found, r.total.Suppressed = slices.Clone(call.List.Results()), alone.Suppressed
	r.alone = foundIn(r.found)
	parts := (documents.Len + r.size - 1) / r.size
	krm.EachInOrder(parts, r.render, r.add)
	if r.err != nil || r.isWhole || r.total.failed == 0 && (r.outputs == 0 || render.IsExcess(r.inputs, r.outputs)) {
		return Result{}, false, r.err
	}
	r.together.Report(r.list)
	r.list.Report(r.found...)
	return r.total, true, nil
}

// The number of sandboxes of a part.
const (
	minPart = 128
	maxPart = 4096
)

// arrange chooses the documents for each part. It returns false if one of them needs all documents at once.
func (p *Parts) arrange(r *partsRun) bool {
	bytes, mayLock := 0, p.chain.Resolve.Mode != resolve.Locked
	for _, item := range r.list.Items() {
		if !incremental.IsIndependent(item, p.extensions) {
			return false
		}
		isOurs := item.APIVersion() == contract.APIVersion
		if isOurs && item.Kind() == contract.PluginLock && mayLock {
			if r.hasLock = true; p.isMixed {
				return false // whether a version can be locked depends on all sandboxes
			}
		}
		if isOurs && item.Kind() != contract.PluginTest || !isOurs && render.MayReplace(item) {
			r.kept = append(r.kept, item)
			bytes += item.Size()
		}
	}
	r.size = min(minPart+bytes/minPart, maxPart) // so that a part costs more than the documents that come with each
	return true
}

// render runs the chain on a part.
func (r *partsRun) render(n int) (p part) {
	list := krm.NewList()
	list.AppendShared(r.kept...)
	for i := n * r.size; i < min((n+1)*r.size, r.documents.Len); i++ {
		d, place := r.documents.Read(i)
		list.AppendAt(place, d.Item)
		p.inputs += d.Item.Size()
		if r.cache != nil {
			p.sandboxes = append(p.sandboxes, newRendered(d))
		}
	}
	if r.hasLock {
		r.inTurn.Lock()
		defer r.inTurn.Unlock()
	}
	chain := r.chain
	chain.NoForks, chain.part = true, true
	p.Result, p.err = chain.Run(list)
	p.found = list.Results()
	return p
}

// add adds the outcome for a part. It returns false if no further one is needed.
func (r *partsRun) add(p part) bool {
	r.report(p)
	r.record(p)
	together := p.Rendered.Phases.Together
	r.isWhole = r.isWhole || p.err != nil || together.Accounts || p.failed != 0 && !isAboutSandboxes(p)
	if r.isWhole {
		return false
	}
	r.together.Add(together)
	r.total.failed = max(r.total.failed, p.failed)
	if r.total.failed != 0 {
		return true // for the findings
	}
	shared, others := p.Objects[:p.Rendered.Phases.Shared], p.Objects[p.Rendered.Phases.Shared:]
	shared = slices.DeleteFunc(slices.Clone(shared), func(item *krm.Item) bool {
		isKnown := r.shared[item.Ref()]
		r.shared[item.Ref()] = true
		return isKnown
	})
	r.inputs += p.inputs
	for _, item := range p.Objects {
		r.outputs += item.Size()
	}
	counts := r.total.Rendered
	r.total.Rendered = p.Rendered
	r.total.Rendered.Phases = counts.Phases.Plus(p.Rendered.Phases)
	r.err = r.documents.Print(shared, others)
	return r.err == nil
}

// isAboutSandboxes reports whether the errors of a part are those of rendering single sandboxes. The messages of earlier
// steps name all sandboxes that they are about, and nothing is rendered after them.
func isAboutSandboxes(p part) bool {
	return p.failed == rendering && !slices.ContainsFunc(p.found, func(one krm.Result) bool {
		return one.Item() == nil && krm.Results{one}.Failed()
	})
}

// report adds the findings of a part. Those about other documents than sandboxes are found with each part.
func (r *partsRun) report(p part) {
	r.found = append(r.found, p.found...)
	if len(r.found) > 2*r.sorted {
		r.found = r.found.Sort()
		r.sorted = max(len(r.found), 1<<10)
	}
	r.total.Suppressed = append(r.total.Suppressed, slices.DeleteFunc(p.Suppressed, func(one validate.Suppressed) bool {
		return one.Item().Kind() != contract.Sandbox
	})...)
}
