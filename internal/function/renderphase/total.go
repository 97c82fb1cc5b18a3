package renderphase

import (
	"github.com/resource-plugins/krm-functions/internal/incremental"
	"github.com/resource-plugins/krm-functions/internal/parts"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// Total counts the objects of all parts of the documents. It implements parts.Rendering.
type Total struct {
	// Phases has the counts.
	Phases render.Summary

	together render.Together
}

// MayReplace implements parts.Rendering.
func (*Total) MayReplace(item *krm.Item) bool { return render.MayReplace(item) }

// IsExcess implements parts.Rendering.
func (*Total) IsExcess(sandboxes, objects int) bool { return render.IsExcess(sandboxes, objects) }

// Reuse implements parts.Rendering.
func (t *Total) Reuse(one *incremental.Sandbox) {
	share := render.Share{Workloads: one.Workloads, Resources: one.Resources, Phases: one.Phases}
	t.Phases = t.Phases.Plus(share.Summary())
}

// Report implements parts.Rendering.
func (t *Total) Report(list *krm.ResourceList) { t.together.Report(list) }

// Part returns the objects of a part, which was rendered with Options.Part.
func (t *Total) Part(summary render.Summary) parts.Rendered { return part{t, summary} }

// part implements parts.Rendered.
type part struct {
	total   *Total
	summary render.Summary
}

func (p part) Shared() int { return p.summary.Shared }

func (p part) NeedsAll() bool { return p.summary.Together.Accounts }

func (p part) Record(name string, one *incremental.Sandbox) bool {
	share := p.summary.Shares[name]
	if share == nil {
		return false
	}
	one.Workloads, one.Resources, one.Phases, one.Compiled = share.Workloads, share.Resources, share.Phases, share.Compiled
	return true
}

func (p part) Add(hasFailed bool) {
	p.total.together.Add(p.summary.Together)
	if !hasFailed {
		p.total.Phases = p.total.Phases.Plus(p.summary)
	}
}
