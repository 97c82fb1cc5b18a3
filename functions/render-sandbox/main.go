// Command render-sandbox is a KRM function that turns the forks of sandboxes into plain workloads, Services and routes:
// copies of the baselines in the same list, changed as each sandbox asks.
package main

import (
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/pkg/render/sandbox"
)

func main() { cli.Main(RenderSandbox()) }

func RenderSandbox() cli.Function {
	return cli.Function{
		Name:    "render-sandbox",
		Purpose: "renders the forks of sandboxes: copies of the baselines in the list, their Services, and the routes to them.",
		Kind:    "RenderSandbox",
		Prints:  cli.Documents,
		Example: "render-sandbox baseline/ sandbox.yaml | kubectl apply -f -\n" +
			"render-sandbox --routing gateway-api baseline/ sandbox.yaml | kubectl apply -f -",
		Config: func() cli.Config { return defaults() },
	}
}

func defaults() *config {
	return &config{Replicas: 1, Routing: string(sandbox.None), Headers: sandbox.DefaultHeaders()}
}
