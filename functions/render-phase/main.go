// Command render-phase is a KRM function that turns the resources of sandboxes into Jobs or Pods: the steps of their
// plugins' create or delete phase.
package main

import (
	lifecycle "github.com/resource-plugins/krm-functions/commands/lifecycle/undo"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/kubebuilder"
	stacks "github.com/resource-plugins/krm-functions/stacks/install"
)

func main() {
	cli.Main(renderphase.New(
		stacks.Extension(),
		renderphase.Extension{Extension: kubebuilder.Extension()},
		lifecycle.Extension(),
	))
}
