// Package stacks is a feature: Crossplane's stacks and packages. Functions that have it check requests for them, and their
// metadata and CRDs, read packages in file mode, and resolve the requests:
//
//	func main() { cli.Main(validateplugin.New(stacks.Extension())) }
//
// Package install renders the requests, and package command has the subcommands of rplug.
package stacks

import (
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/stacks/dependency"
	"github.com/resource-plugins/krm-functions/stacks/rules"
)

// Extension returns the feature.
func Extension() extension.Extension {
	return extension.Extension{
		Rules: rules.Extension(), Formats: []load.Format{format()}, IsRequest: dependency.IsRequest,
		References: []extension.Reference{{Path: "spec.package"}, {Path: "spec.crd", Pinned: "spec.package"}},
		Resolver:   resolver{}, Importer: importer{},
	}
}
