package function

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// RenderPhase is the KRM function render-phase.
func RenderPhase() cli.Function {
	return cli.Function{
		Name:    "render-phase",
		Purpose: "renders the resources of sandboxes into Jobs or Pods: the steps of their plugins' create or delete phase.",
		Kind:    "RenderPhase",
		Output:  cli.Objects,
		Example: "render-phase plugins/ sandbox.yaml | kubectl apply -f -\n" +
			"render-phase --phases delete plugins/ sandbox.yaml | kubectl apply -f -",
		Config:  func() cli.Config { return &renderPhase{render.DefaultOptions().RenderPhase} },
		Drawing: drawing(),
	}
}

// renderPhase is the config of render-phase.
type renderPhase struct{ v1alpha1.RenderPhase }

// garbage is how much the heap may grow, in per cent, before it is collected: what is rendered stays until it is written,
// hundreds of megabytes for as many thousand sandboxes.
const garbage = 60

// Process renders the resources of the list's sandboxes.
func (c *renderPhase) Process(call cli.Call) (string, error) {
	if !call.FileMode {
		debug.SetGCPercent(garbage)
	}
	options := render.Options{RenderPhase: c.RenderPhase, Name: call.ConfigName, WithoutPaths: call.FileMode}
	summary, err := render.Phases(call.List, options)
	if reportOptions(call, err) {
		return "nothing rendered: fix the functionConfig", nil
	}
	if err != nil {
		return "", err
	}
	call.SetRendered(summary.Objects...)
	reportNothing(call, c.Cluster, summary.Objects, c.nothing)
	return c.summary(summary), nil
}

// nothing says why the sandboxes have no objects.
func (c *renderPhase) nothing(sandboxes []*document.Sandbox) string {
	phases := strings.Join(c.Phases, " or ")
	if !slices.ContainsFunc(sandboxes, func(s *document.Sandbox) bool { return !isAbsent(s) }) {
		phases = string(v1alpha1.PhaseDelete)
	}
	if slices.ContainsFunc(sandboxes, func(s *document.Sandbox) bool { return len(s.Spec.Resources) > 0 }) {
		return fmt.Sprintf("no plugin of the sandboxes has a %s phase", phases)
	}
	return "no sandbox has resources"
}

func (c *renderPhase) summary(s render.Summary) string {
	phase := c.Phases[0]
	switch {
	case len(c.Phases) == 2:
		phase = "create and delete"
	case len(s.Phases) == 2:
		phase = "create, and delete where the state is absent"
	case len(s.Phases) == 1 && s.Phases[0] == v1alpha1.PhaseDelete:
		phase = string(v1alpha1.PhaseDelete)
	}
	return fmt.Sprintf("rendered %s for %s of %s (%s)", cli.Count(s.Workloads, cmp.Or(c.Workload, "Job")),
		cli.Count(s.Resources, "resource"), cli.Count(s.Sandboxes, "sandbox"), phase)
}
