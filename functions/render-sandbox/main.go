// Command render-sandbox is a KRM function that turns the forks of sandboxes into plain workloads, Services and routes:
// copies of the baselines in the same list, changed as each sandbox asks.
package main

import (
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/function/rendersandbox"
	"github.com/resource-plugins/krm-functions/kubebuilder"
	"github.com/resource-plugins/krm-functions/stacks"
)

func main() {
	cli.Main(rendersandbox.New(
		stacks.Extension(),
		kubebuilder.Extension(),
	))
}
