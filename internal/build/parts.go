package build

import (
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/internal/incremental"
	"github.com/resource-plugins/krm-functions/internal/parts"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// Parts runs a chain on a part of the sandboxes at a time. Objects and findings are those of Chain.Run, or Run reports that
// it takes all documents at once to know them.
type Parts struct {
	*parts.Parts
	total *renderphase.Total
}

// InParts returns the parts of a chain; nil if its options need all documents at once. Sandboxes of the cache, which may be
// nil, are not rendered again.
func (c Chain) InParts(cache *incremental.Cache) *Parts {
	if resolve.Moves(c.Resolve) || len(c.Render.Namespaces) > 0 || c.Sandbox.Baseline || c.Base != nil {
		return nil
	}
	total := &renderphase.Total{}
	return &Parts{parts.New(parts.Options{
		Rendering: total,
		Cluster:   c.Render.Cluster, MayLock: c.Resolve.Mode != resolve.Locked, Extensions: c.Extensions.Common(), Cache: cache,
	}), total}
}

// Run runs the chain on the list of the call, and on the postponed sandboxes. It prints the objects, and reports the
// findings to the list. It returns false if all documents are needed at once.
func (p *Parts) Run(chain Chain, call cli.Call, documents cli.Postponed) (total Result, done bool, err error) {
	run := func(list *krm.ResourceList, isPart bool) (parts.Outcome, error) {
		own := chain
		if isPart {
			own.NoForks, own.part = true, true
		}
		result, err := own.Run(list)
		if !isPart {
			total = result
		}
		return parts.Outcome{
			Objects: result.Objects, Rendered: p.total.Part(result.Rendered.Phases), Suppressed: result.Suppressed,
			Failed: int(result.failed), IsRendering: result.failed == rendering,
		}, err
	}
	outcome, done, err := p.Parts.Run(run, call, documents)
	if err != nil || !done {
		return Result{}, false, err
	}
	total.Rendered.Phases, total.Suppressed = p.total.Phases, outcome.Suppressed
	return total, true, nil
}
