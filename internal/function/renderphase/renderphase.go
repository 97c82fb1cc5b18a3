// Package renderphase is the KRM function render-phase: it renders the resources of sandboxes, and install requests.
// Its main runs New; Render processes a list.
package renderphase

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// New returns the KRM function render-phase.
func New(extensions ...Extension) cli.Function {
	return cli.Function{
		Name: "render-phase",
		Purpose: "renders the resources of sandboxes into Jobs or Pods: the steps of their plugins' create or delete phase. It " +
			"renders requests for Crossplane's stacks and packages, too.",
		Kind:       "RenderPhase",
		Example:    "render-phase plugins/ sandbox.yaml | kubectl apply -f -",
		Extensions: Extensions(extensions).Common(),
		Config:     func() cli.Config { return &renderPhase{render.DefaultOptions().RenderPhase, extensions} },
		Modes:      func() []cli.Mode { return []cli.Mode{&cli.Printing{Rendered: true}, drawing()} },
		Project:    []string{"cluster", "helperImage", "podTemplateDefaults", "rules", "render"},
	}
}

// renderPhase is the config of render-phase.
type renderPhase struct {
	v1alpha1.RenderPhase
	extensions Extensions
}

// Process renders the resources of the list's sandboxes.
func (c *renderPhase) Process(call cli.Call) (string, error) {
	if !call.FileMode {
		cli.LimitGarbage(cli.GrowthOfTexts)
	}
	if !call.FileMode && (c.Images || c.Lock) {
		key := krm.Path("images")
		if c.Lock {
			key = "lock"
		}
		call.ConfigError(key, "must be false for an orchestrator, which takes only documents: it is for files")
		return "nothing rendered: fix the functionConfig", nil
	}
	rendered, err := Render(call.List, c.options(call), c.extensions...)
	if call.OptionErrors(err) {
		return "nothing rendered: fix the functionConfig", nil
	}
	if err != nil {
		return "", err
	}
	call.SetRendered(rendered.Objects()...)
	if text := rendered.Print(); text != nil {
		call.Print(text)
	} else if rendered.Requests() == 0 {
		call.ReportNothing(c.Cluster, rendered.Phases.Objects, Nothing(c.RenderPhase))
	}
	return rendered.String(), nil
}

func (c *renderPhase) options(call cli.Call) render.Options {
	return render.Options{
		RenderPhase: c.RenderPhase, Name: call.ConfigName, WithoutPaths: call.FileMode, RefuseEmpty: call.RefuseEmpty,
	}
}

// Nothing returns why sandboxes have no objects.
func Nothing(options v1alpha1.RenderPhase) func([]*document.Sandbox) string {
	return func(sandboxes []*document.Sandbox) string {
		phases := strings.Join(options.Phases, " or ")
		if !slices.ContainsFunc(sandboxes, func(s *document.Sandbox) bool { return !isAbsent(s) }) {
			phases = string(v1alpha1.PhaseDelete)
		}
		if slices.ContainsFunc(sandboxes, func(s *document.Sandbox) bool { return len(s.Spec.Resources) > 0 }) {
			return fmt.Sprintf("no plugin of the sandboxes has a %s phase", phases)
		}
		return "no sandbox has resources"
	}
}

func isAbsent(s *document.Sandbox) bool {
	absent, _ := s.IsAbsent()
	return absent
}
