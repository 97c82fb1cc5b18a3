package function

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// RenderPhase is the KRM function render-phase.
func RenderPhase() cli.Function {
	return cli.Function{
		Name:    "render-phase",
		Purpose: "renders the resources of sandboxes into Jobs or Pods: the steps of their plugins' create or delete phase.",
		Kind:    "RenderPhase",
		Output:  cli.Documents,
		Example: "render-phase plugins/ sandbox.yaml | kubectl apply -f -\n" +
			"render-phase --phases delete plugins/ sandbox.yaml | kubectl apply -f -",
		Config:  func() cli.Config { return renderPhaseDefaults() },
		Drawing: drawing(),
	}
}

// keepJobs is the TTLSecondsAfterFinished with which Jobs stay.
const keepJobs = -1

func renderPhaseDefaults() *renderPhase {
	return &renderPhase{v1alpha1.RenderPhase{
		Phases:              []string{string(v1alpha1.PhaseCreate)},
		Workload:            string(render.Job),
		Delivery:            string(render.Kubectl),
		HelperImage:         render.DefaultHelperImage,
		StepTimeoutSeconds:  render.DefaultStepTimeout,
		StartTimeoutSeconds: render.DefaultStartTimeout,

		TTLSecondsAfterFinished: keepJobs,
	}}
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
	options := c.options(call)
	if wrong := append(c.unset(), options.Validate()...); len(wrong) > 0 {
		if _, err := call.List.Select(contract.APIVersion, contract.Sandbox); err != nil {
			return "", err
		}
		render.MarkInputs(call.List)
		for _, one := range wrong {
			call.ConfigError(one.Option, one.Message)
		}
		return "nothing rendered: fix the functionConfig", nil
	}
	summary, err := render.Phases(call.List, options)
	var wrong *render.OptionError
	if errors.As(err, &wrong) {
		call.ConfigError(wrong.Option, wrong.Message)
		return "nothing rendered: fix the functionConfig", nil
	}
	return c.summary(summary), err
}

// unset returns what is wrong with values that are a default of the options but not of the config.
func (c *renderPhase) unset() (wrong []*render.OptionError) {
	if c.HelperImage == "" {
		wrong = append(wrong, &render.OptionError{Option: "helperImage", Message: "must be an image"})
	}
	for _, n := range []struct {
		option       krm.Path
		value, least int
	}{
		{"stepTimeoutSeconds", c.StepTimeoutSeconds, 1},
		{"startTimeoutSeconds", c.StartTimeoutSeconds, 1},
		{"ttlSecondsAfterFinished", c.TTLSecondsAfterFinished, keepJobs},
	} {
		if n.value < n.least {
			wrong = append(wrong, &render.OptionError{
				Option: n.option, Message: fmt.Sprintf("must be at least %d, not %d", n.least, n.value),
			})
		}
	}
	return wrong
}

// options are those of the config, without values that unset reports.
func (c *renderPhase) options(call cli.Call) render.Options {
	options := render.Options{
		Name:             call.ConfigName,
		Phases:           make([]v1alpha1.Phase, len(c.Phases)),
		Cluster:          c.Cluster,
		Delivery:         render.Delivery{Tool: render.Tool(c.Delivery), Hook: render.Hook(c.DeleteHook)},
		Workload:         render.Workload(c.Workload),
		RunnerNamespace:  c.RunnerNamespace,
		Namespaces:       c.Namespaces,
		HelperImage:      c.HelperImage,
		ImagePullSecrets: c.ImagePullSecrets,
		StepTimeout:      max(c.StepTimeoutSeconds, 0),
		StartTimeout:     max(c.StartTimeoutSeconds, 0),
		Retries:          c.Retries,
		Prune:            c.Prune,
		WithoutPaths:     call.FileMode,
	}
	for i, phase := range c.Phases {
		options.Phases[i] = v1alpha1.Phase(phase)
	}
	if c.TTLSecondsAfterFinished > keepJobs {
		options.TTL = &c.TTLSecondsAfterFinished
	}
	return options
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
	return fmt.Sprintf("rendered %s for %s of %s (%s)", cli.Count(s.Workloads, c.Workload),
		cli.Count(s.Resources, "resource"), cli.Count(s.Sandboxes, "sandbox"), phase)
}
