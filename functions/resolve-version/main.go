// Command resolve-version is a KRM function that pins the plugin versions that sandboxes refer to.
package main

import (
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/function/resolveversion"
	"github.com/resource-plugins/krm-functions/kubebuilder"
	"github.com/resource-plugins/krm-functions/stacks"
)

func main() {
	cli.Main(resolveversion.New(
		stacks.Extension(),
		kubebuilder.Extension(),
	))
}
