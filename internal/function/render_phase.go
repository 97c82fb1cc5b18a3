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
	"github.com/resource-plugins/krm-functions/internal/stackrender"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// RenderPhase is the KRM function render-phase.
func RenderPhase() cli.Function {
	return cli.Function{
		Name: "render-phase",
		Purpose: "renders the resources of sandboxes into Jobs or Pods: the steps of their plugins' create or delete phase. It " +
			"renders requests for Crossplane's stacks and packages, too.",
		Kind:   "RenderPhase",
		Output: cli.Objects,
		Example: "render-phase plugins/ sandbox.yaml | kubectl apply -f -\n" +
			"render-phase --phases delete plugins/ sandbox.yaml | kubectl apply -f -\n" +
			"render-phase --install objects redis/.registry request.yaml | kubectl apply -f -",
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
	if !call.FileMode && (c.Images || c.Lock) {
		key := krm.Path("images")
		if c.Lock {
			key = "lock"
		}
		call.ConfigError(key, "must be false for an orchestrator, which takes documents alone: it is for files")
		return "nothing rendered: fix the functionConfig", nil
	}
	options := render.Options{RenderPhase: c.RenderPhase, Name: call.ConfigName, WithoutPaths: call.FileMode}
	var summary render.Summary
	var packages stackrender.Summary
	var err error
	if c.Compatible == "" {
		summary, err = render.Phases(call.List, options)
	}
	if err == nil {
		packages, err = stackrender.Render(call.List, options)
	}
	if reportOptions(call, err) {
		return "nothing rendered: fix the functionConfig", nil
	}
	if err != nil {
		return "", err
	}
	call.SetRendered(packages.Objects...)
	call.SetRendered(summary.Objects...)
	switch {
	case c.Images:
		call.Print(lines(packages.Images))
	case c.Lock:
		call.Print(append([]byte{}, packages.Lock...))
	case packages.Requests == 0:
		reportNothing(call, c.Cluster, summary.Objects, c.nothing)
	}
	return c.summary(summary, packages), nil
}

// lines prints texts, one a line.
func lines(texts []string) []byte {
	out := []byte{}
	for _, text := range texts {
		out = append(append(out, text...), '\n')
	}
	return out
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

func (c *renderPhase) summary(s render.Summary, packages stackrender.Summary) string {
	rendered := fmt.Sprintf("rendered %s for %s", cli.Count(packages.Packages, "package"),
		cli.Count(packages.Requests, "install request"))
	if c.Compatible != "" {
		return fmt.Sprintf("rendered %s as crossplane %s did", cli.Count(packages.Requests, "Job"), c.Compatible)
	}
	if packages.Requests > 0 && s.Workloads == 0 {
		return rendered
	}
	sandboxes := c.ofSandboxes(s)
	if packages.Requests > 0 {
		return sandboxes + ", " + rendered
	}
	return sandboxes
}

// ofSandboxes is the summary of what sandboxes have become.
func (c *renderPhase) ofSandboxes(s render.Summary) string {
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
