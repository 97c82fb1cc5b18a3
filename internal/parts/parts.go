// Package parts runs functions on very many sandboxes, a part at a time and on all cores. So neither all sandboxes nor all
// rendered objects are in memory:
//
//	p := parts.New(parts.Options{Cluster: "staging"})
//	// p decides as load.Postponer which documents are postponed
//	total, done, err := p.Run(runner, call, documents)
//
// Objects and findings are those of a run on all documents, or Run reports that all of them are needed at once to know them.
package parts

import (
	"slices"
	"sync"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/incremental"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// Options describe the documents, and how they are rendered.
type Options struct {
	// Cluster is the one whose sandboxes are rendered; all if it is empty.
	Cluster string
	// MayLock means that a run may change a lock of versions.
	MayLock bool
	// Rendering is how sandboxes are rendered. Nil means that they are checked, or resolved: objects are those of the part that
	// are printed, if there are any.
	Rendering Rendering
	// Checked means that rules are checked: sandboxes of the same name depend on each other.
	Checked bool
	// Extensions are features: their documents are never postponed.
	Extensions []extension.Extension
	// Cache has the sandboxes that are not rendered again; it may be nil.
	Cache *incremental.Cache
}

// Runner renders a list, which may be a part of the documents.
type Runner func(list *krm.ResourceList, isPart bool) (Outcome, error)

// Outcome is the result of a part, or the total.
type Outcome struct {
	// Objects are those that belong to no sandbox in particular, of which there are Rendered.Shared, and others. They are empty
	// in a total, since they were printed.
	Objects []*krm.Item
	// Rendered is nil if nothing was to be rendered, and in a total.
	Rendered Rendered
	// Suppressed are the findings suppressed by comments in the documents.
	Suppressed []validate.Suppressed
	// Failed is the number of the step that has reported an error, 0 if none has: those after it have not run. Its errors may
	// be those of single sandboxes if IsRendering.
	Failed      int
	IsRendering bool
}

// Parts runs a Runner on a part of the sandboxes at a time, each time with the documents that they may refer to. It
// implements load.Postponer.
type Parts struct {
	*index
}

// New returns the parts for documents that are read.
func New(options Options) *Parts {
	x := &index{
		options: options, few: fewSandboxes,
		seen: incremental.Identities{}, clusters: map[string]bool{}, pins: map[string]string{},
	}
	if options.Rendering == nil && options.Cache.HasIndex() {
		x.few = 0 // the others are reused
	}
	return &Parts{x}
}

// partsRun is one run of Parts.
type partsRun struct {
	index     *index
	runner    Runner
	options   Options
	list      *krm.ResourceList // the documents that are not postponed
	documents cli.Postponed
	alone     map[string]bool // the findings without sandboxes
	kept      []*krm.Item     // those that a sandbox may refer to, or the names of which it may have
	size      int             // of a part, in sandboxes
	// inTurn is held by the part that may change a lock.
	inTurn  sync.Mutex
	hasLock bool

	shared map[krm.ResourceRef]bool // objects that were printed
	total  Outcome
	found  krm.Results
	sorted int // how many were found when they were sorted last
	// inputs is the size of all sandboxes, and outputs that of all objects: see Rendering.IsExcess.
	inputs, outputs int
	isWhole         bool // all documents are needed at once
	err             error
}

// part is the outcome for a part of the sandboxes.
type part struct {
	Outcome
	found  krm.Results
	inputs int // the size of the sandboxes
	err    error

	isWhole bool // all documents are needed at once

	sandboxes []rendered // with a cache
}

// Run runs the runner on the list of the call, and on the postponed sandboxes. It prints the objects, and reports the
// findings to the list. It returns false if all documents are needed at once.
func (p *Parts) Run(runner Runner, call cli.Call, documents cli.Postponed) (total Outcome, done bool, err error) {
	r := &partsRun{
		index: p.index, runner: runner, options: p.options, list: call.List, documents: documents,
		shared: map[krm.ResourceRef]bool{},
	}
	if !p.arrange(r) || !r.reuse(call) {
		return Outcome{}, false, nil
	}
	alone, err := runner(call.List, false)
	if err != nil || alone.Failed != 0 || len(alone.Objects) > 0 {
		return Outcome{}, false, nil //nolint:nilerr // the error is that of all documents, too
	}
	r.found, r.total.Suppressed = slices.Clone(call.List.Results()), alone.Suppressed
	r.alone = foundIn(r.found)
	parts := (documents.Len + r.size - 1) / r.size
	krm.EachInOrder(parts, r.render, r.add)
	if r.err != nil || r.isWhole || r.total.Failed == 0 && !r.hasRendered() {
		return Outcome{}, false, r.err
	}
	if r.options.Rendering != nil {
		r.options.Rendering.Report(r.list)
	}
	r.list.Report(r.found...)
	slices.SortStableFunc(r.total.Suppressed, func(a, b validate.Suppressed) int { return a.Compare(b.Result) })
	return r.total, true, nil
}

// hasRendered reports whether there are objects, and not too many of them.
func (r *partsRun) hasRendered() bool {
	return r.options.Rendering == nil || r.outputs > 0 && !r.options.Rendering.IsExcess(r.inputs, r.outputs)
}

// The number of sandboxes of a part.
const (
	minPart = 128
	maxPart = 4096
)

// arrange chooses the documents for each part. It returns false if one of them needs all documents at once.
func (p *Parts) arrange(r *partsRun) bool {
	bytes := 0
	for _, item := range r.list.Items() {
		if !p.isIndependent(item) {
			return false
		}
		isLock := item.APIVersion() == contract.APIVersion && item.Kind() == contract.PluginLock
		if isLock && p.options.MayLock {
			if r.hasLock = true; p.isMixed || p.options.Rendering == nil {
				return false // whether a version can be locked depends on all sandboxes, and so does the lock that is printed
			}
		}
		if p.isKept(item) {
			r.kept = append(r.kept, item)
			bytes += item.Size()
		}
	}
	if p.options.Checked && !p.keep(r.list) {
		return false
	}
	r.size = min(minPart+bytes/minPart, maxPart) // so that a part costs more than the documents that come with each
	return true
}

// isKept reports whether a document comes with each part.
func (x *index) isKept(item *krm.Item) bool {
	if item.APIVersion() != contract.APIVersion {
		return x.options.Rendering != nil && x.options.Rendering.MayReplace(item)
	}
	return item.Kind() != contract.PluginTest && item.Kind() != contract.Sandbox
}

// render runs the runner on a part.
func (r *partsRun) render(n int) (p part) {
	list := krm.NewList()
	list.AppendShared(r.kept...)
	for i := n * r.size; i < min((n+1)*r.size, r.documents.Len); i++ {
		d, place, ok := r.documents.Read(i)
		if !ok || r.options.Rendering == nil && !r.index.take(d) {
			p.isWhole = true
			return p
		}
		list.AppendAt(place, d.Item)
		p.inputs += d.Item.Size()
		if r.options.Cache != nil {
			p.sandboxes = append(p.sandboxes, newRendered(d))
		}
	}
	if r.hasLock {
		r.inTurn.Lock()
		defer r.inTurn.Unlock()
	}
	p.Outcome, p.err = r.runner(list, true)
	p.found = list.Results()
	return p
}

// add adds the outcome for a part. It returns false if no further one is needed.
func (r *partsRun) add(p part) bool {
	defer forget(p)
	r.report(p)
	r.record(p)
	r.isWhole = r.isWhole || p.isWhole || p.err != nil || p.rendered().NeedsAll() || p.Failed != 0 && !isAboutSandboxes(p)
	if r.isWhole {
		return false
	}
	r.total.Failed = max(r.total.Failed, p.Failed)
	p.rendered().Add(r.total.Failed != 0)
	if r.total.Failed != 0 {
		return true // for the findings
	}
	n := p.rendered().Shared()
	shared, others := p.Objects[:n], p.Objects[n:]
	shared = slices.DeleteFunc(slices.Clone(shared), func(item *krm.Item) bool {
		isKnown := r.shared[item.Ref()]
		r.shared[item.Ref()] = true
		return isKnown
	})
	r.inputs += p.inputs
	for _, item := range p.Objects {
		r.outputs += item.Size()
	}
	r.err = r.documents.Print(shared, others)
	return r.err == nil
}
