package function

import (
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
		Output:  cli.Documents,
		Example: "render-sandbox baseline/ sandbox.yaml | kubectl apply -f -\n" +
			"render-sandbox --routing gateway-api baseline/ sandbox.yaml | kubectl apply -f -",
		Config: func() cli.Config { return sandboxDefaults() },
	}
}

func sandboxDefaults() *sandboxConfig {
	return &sandboxConfig{v1alpha1.RenderSandbox{
		Replicas: 1, Routing: string(sandbox.None), Headers: sandbox.DefaultHeaders(),
	}}
}
