package renderphase

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// Rendered counts the rendered objects.
type Rendered struct {
	Phases render.Summary
	// Others are the outputs of extensions.
	Others []Output

	options v1alpha1.RenderPhase
	isAlone bool // one extension, and no sandbox
}

// Render renders the resources of a list's sandboxes, and the documents of extensions. If the options ask only for the
// objects of one extension, it renders nothing else.
func Render(list *krm.ResourceList, options render.Options, extensions ...Extension) (r Rendered, err error) {
	r.options = options.RenderPhase
	renderers := Extensions(extensions).renderers()
	if i := slices.IndexFunc(renderers, func(one Renderer) bool { return one.IsAlone(options) }); i >= 0 {
		r.isAlone, renderers = true, renderers[i:i+1]
	} else if r.Phases, err = render.Phases(list, options); err != nil {
		return r, err
	}
	for _, one := range renderers {
		rendered, err := one.Render(list, options)
		if err != nil {
			return r, err
		}
		r.Others = append(r.Others, rendered)
	}
	return r, nil
}

// Objects returns the items of the list that were rendered.
func (r Rendered) Objects() []*krm.Item {
	all := slices.Clone(r.Phases.Objects)
	for _, one := range r.Others {
		all = append(all, one.Objects...)
	}
	return all
}

// Requests is how many documents of extensions were rendered.
func (r Rendered) Requests() (n int) {
	for _, one := range r.Others {
		n += one.Requests
	}
	return n
}

// Print returns the text that an extension prints in place of the objects, nil if they are printed.
func (r Rendered) Print() []byte {
	for _, one := range r.Others {
		if one.Print != nil {
			return one.Print
		}
	}
	return nil
}

// String counts the rendered objects. Sandboxes are counted even if the list has no sandboxes, unless other documents
// were rendered.
func (r Rendered) String() string {
	var counts []string
	if !r.isAlone && (r.Phases.Workloads > 0 || r.Requests() == 0) {
		counts = append(counts, r.ofSandboxes())
	}
	for _, one := range r.Others {
		if one.Requests > 0 || r.isAlone {
			counts = append(counts, "rendered "+one.Text)
		}
	}
	return strings.Join(counts, ", ")
}

// ofSandboxes counts the objects of sandboxes.
func (r Rendered) ofSandboxes() string {
	phase := r.options.Phases[0]
	switch {
	case len(r.options.Phases) == 2:
		phase = "create and delete"
	case len(r.Phases.Phases) == 2:
		phase = "create, and delete where the state is absent"
	case len(r.Phases.Phases) == 1 && r.Phases.Phases[0] == v1alpha1.PhaseDelete:
		phase = string(v1alpha1.PhaseDelete)
	}
	return fmt.Sprintf("rendered %s for %s of %s (%s)", report.Count(r.Phases.Workloads, cmp.Or(r.Phases.Kind, "Job")),
		report.Count(r.Phases.Resources, "resource"), report.Count(r.Phases.Sandboxes, "sandbox"), phase)
}
