// Package rendersandbox is the KRM function render-sandbox: it renders the forks of sandboxes. Its main runs New.
package rendersandbox

import (
	"fmt"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/render/sandbox"
)

// New returns the KRM function render-sandbox.
func New(extensions ...extension.Extension) cli.Function {
	return cli.Function{
		Name:    "render-sandbox",
		Purpose: "renders the forks of sandboxes: copies of the baselines in the list, their Services, and the routes to them.",
		Kind:    "RenderSandbox",
		Modes:   func() []cli.Mode { return []cli.Mode{&cli.Printing{Rendered: true}} },
		Example: "render-sandbox baseline/ sandbox.yaml | kubectl apply -f -\n" +
			"render-sandbox --routing gateway-api baseline/ sandbox.yaml | kubectl apply -f -",
		Workloads:  true,
		Project:    []string{"cluster", "fork"},
		Extensions: extensions,
		Config:     func() cli.Config { return &renderSandbox{sandbox.DefaultOptions().RenderSandbox} },
	}
}

// renderSandbox is the config of render-sandbox.
type renderSandbox struct{ v1alpha1.RenderSandbox }

// Process renders the forks of the list's sandboxes and the routes to them.
func (c *renderSandbox) Process(call cli.Call) (string, error) {
	options := sandbox.Options{
		RenderSandbox: c.RenderSandbox, Name: call.ConfigName, WithoutPaths: call.FileMode, RefuseEmpty: call.RefuseEmpty,
	}
	summary, err := sandbox.Render(call.List, options)
	switch {
	case call.OptionErrors(err):
		return "nothing rendered: fix the functionConfig", nil
	case err != nil:
		return "", err
	case call.List.Results().Failed():
		return "nothing rendered: fix the errors above", nil
	}
	call.SetRendered(summary.Objects...)
	if c.Baseline {
		call.SetRendered(call.List.Items()...)
	}
	call.ReportNothing(c.Cluster, summary.Objects, NothingForked)
	return "rendered " + Forked(summary), nil
}

// Forked counts the rendered objects.
func Forked(s sandbox.Summary) string {
	text := fmt.Sprintf("%s, %s and %s of %s", report.Count(s.Forks, "fork"), report.Count(s.Services, "Service"),
		report.Count(s.Routes, "route"), report.Count(s.Sandboxes, "sandbox"))
	if s.Readers > 0 {
		text += fmt.Sprintf(", %s with outputs", report.Count(s.Readers, "workload"))
	}
	return text
}

// NothingForked explains why the sandboxes have no objects.
func NothingForked(sandboxes []*document.Sandbox) string {
	if !slices.ContainsFunc(sandboxes, func(s *document.Sandbox) bool { return len(s.Spec.Forks) > 0 }) {
		return "no sandbox has forks"
	}
	return fmt.Sprintf("all sandboxes with forks have the annotation %q", contract.StateKey+": absent")
}
