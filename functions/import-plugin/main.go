// Command import-plugin is a KRM function that turns the plugin and sandbox files of the vendor's tool into KRM
// documents.
package main

import (
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/function/importplugin"
	"github.com/resource-plugins/krm-functions/kubebuilder"
	"github.com/resource-plugins/krm-functions/stacks"
)

func main() {
	cli.Main(importplugin.New(
		stacks.Extension(),
		kubebuilder.Extension(),
	))
}
