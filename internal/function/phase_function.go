package function

import (
	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
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
		Config:  func() cli.Config { return phaseDefaults() },
		Drawing: drawing(),
	}
}

func phaseDefaults() *phaseConfig {
	return &phaseConfig{v1alpha1.RenderPhase{
		Phases:              []string{string(v1alpha1.PhaseCreate)},
		Workload:            string(render.Job),
		Delivery:            string(render.Kubectl),
		HelperImage:         render.DefaultHelperImage,
		StepTimeoutSeconds:  render.DefaultStepTimeout,
		StartTimeoutSeconds: contract.DefaultStartTimeoutSeconds,

		TTLSecondsAfterFinished: keepJobs,
	}}
}
