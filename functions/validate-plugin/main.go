// Command validate-plugin is a KRM function that checks ResourcePlugin, Sandbox and RouteGroup documents against the
// rules of their specifications. It changes nothing.
package main

import (
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/function/validateplugin"
	"github.com/resource-plugins/krm-functions/kubebuilder"
	"github.com/resource-plugins/krm-functions/stacks"
)

func main() {
	cli.Main(validateplugin.New(
		stacks.Extension(),
		kubebuilder.Extension(),
	))
}
