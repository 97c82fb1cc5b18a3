// Package stacks is a feature: Crossplane's stacks and packages. Functions that have it check requests for them, and their
// metadata and CRDs, resolve and render the requests:
//
//	func main() { cli.Main(function.ValidatePlugin(stacks.Extension())) }
//
// Package command has the subcommands of rplug.
package stacks

import (
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/stacks/dependency"
	"github.com/resource-plugins/krm-functions/stacks/rules"
)

// Extension returns the feature.
func Extension() extension.Extension {
	return extension.Extension{Rules: rules.Extension(), IsRequest: dependency.IsRequest, Resolver: resolver{}, Renderer: renderer{}}
}
