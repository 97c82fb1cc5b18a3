package function

import (
	"errors"
	"fmt"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/pkg/render/sandbox"
)

// RenderSandbox is the KRM function render-sandbox.
func RenderSandbox() cli.Function {
	return cli.Function{
		Name:    "render-sandbox",
		Purpose: "renders the forks of sandboxes: copies of the baselines in the list, their Services, and the routes to them.",
		Kind:    "RenderSandbox",
		Prints:  cli.Documents,
		Example: "render-sandbox baseline/ sandbox.yaml | kubectl apply -f -\n" +
			"render-sandbox --routing gateway-api baseline/ sandbox.yaml | kubectl apply -f -",
		Config: func() cli.Config { return &sandboxConfig{sandbox.DefaultOptions().RenderSandbox} },
	}
}

type sandboxConfig struct{ v1alpha1.RenderSandbox }

// Process renders the forks of the list's sandboxes and the routes to them.
func (c *sandboxConfig) Process(call cli.Call) (string, error) {
	MarkInputs(call.List)
	summary, err := sandbox.Render(call.List, sandbox.Options{
		RenderSandbox: c.RenderSandbox, Name: call.ConfigName, Files: call.FileMode,
	})
	var wrong sandbox.OptionErrors
	if errors.As(err, &wrong) {
		for _, option := range wrong {
			call.Misconfigured(option.Option, option.Message)
		}
		err = nil
	}
	if err != nil || call.List.Results().Failed() {
		return "nothing rendered: fix the errors above", err
	}
	return fmt.Sprintf("rendered %s, %s and %s of %s", cli.Count(summary.Forks, "fork"), cli.Count(summary.Services, "Service"),
		cli.Count(summary.Routes, "route"), cli.Count(summary.Sandboxes, "sandbox")), nil
}
