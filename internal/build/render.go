package build

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
	stackrender "github.com/resource-plugins/krm-functions/stacks/install"
)

// Rendered counts the rendered objects of resources and install requests.
type Rendered struct {
	Phases   render.Summary
	Packages stackrender.Summary

	options v1alpha1.RenderPhase
}

// Render renders the resources of a list's sandboxes, unless only Jobs for an old crossplane are requested, and its install
// requests.
func Render(list *krm.ResourceList, options render.Options) (r Rendered, err error) {
	r.options = options.RenderPhase
	if options.Compatible == "" {
		r.Phases, err = render.Phases(list, options)
	}
	if err == nil {
		r.Packages, err = stackrender.Render(list, options)
	}
	return r, err
}

// Objects returns the rendered items of the list.
func (r Rendered) Objects() []*krm.Item { return slices.Concat(r.Phases.Objects, r.Packages.Objects) }

// String summarizes the rendered objects.
func (r Rendered) String() string {
	if r.options.Compatible != "" {
		return fmt.Sprintf("rendered %s as crossplane %s did", cli.Count(r.Packages.Requests, "Job"), r.options.Compatible)
	}
	packages := fmt.Sprintf("rendered %s for %s", cli.Count(r.Packages.Packages, "package"),
		cli.Count(r.Packages.Requests, "install request"))
	switch {
	case r.Packages.Requests == 0:
		return r.ofSandboxes()
	case r.Phases.Workloads == 0:
		return packages
	}
	return r.ofSandboxes() + ", " + packages
}

// ofSandboxes summarizes the rendered objects of sandboxes.
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
	return fmt.Sprintf("rendered %s for %s of %s (%s)", cli.Count(r.Phases.Workloads, cmp.Or(r.Phases.Kind, "Job")),
		cli.Count(r.Phases.Resources, "resource"), cli.Count(r.Phases.Sandboxes, "sandbox"), phase)
}
