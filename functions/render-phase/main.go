// Command render-phase is a KRM function that turns the resources of sandboxes into Jobs or Pods: the steps of their
// plugins' create or delete phase.
package main

import (
	"github.com/resource-plugins/krm-functions/pkg/contract"
	"github.com/resource-plugins/krm-functions/pkg/delivery"
	"github.com/resource-plugins/krm-functions/pkg/krm/process"
	"github.com/resource-plugins/krm-functions/pkg/plugin"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

func main() { process.Main(function()) }

func function() process.Function {
	return process.Function{
		Name:    "render-phase",
		Purpose: "renders the resources of sandboxes into Jobs or Pods: the steps of their plugins' create or delete phase.",
		Kind:    "RenderPhase",
		Prints:  process.Documents,
		Example: "render-phase plugins/ sandbox.yaml | kubectl apply -f -\n" +
			"render-phase --phases delete plugins/ sandbox.yaml | kubectl apply -f -",
		Config:  func() process.Config { return defaults() },
		Drawing: drawing(),
	}
}

func defaults() *config {
	return &config{
		Phases:              []string{string(plugin.Create)},
		Workload:            string(render.Job),
		Delivery:            string(delivery.Kubectl),
		HelperImage:         render.DefaultHelperImage,
		StepTimeoutSeconds:  render.DefaultStepTimeout,
		StartTimeoutSeconds: contract.DefaultStartTimeoutSeconds,

		TTLSecondsAfterFinished: keepJobs,
	}
}
