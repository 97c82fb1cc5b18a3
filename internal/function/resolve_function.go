package function

import (
	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/cli"
)

// ResolveVersion is the KRM function resolve-version.
func ResolveVersion() cli.Function {
	return cli.Function{
		Name:    "resolve-version",
		Purpose: "pins the plugins that sandboxes refer to, and records what was asked for and the digest.",
		Kind:    "ResolveVersion",
		Output:  cli.Documents,
		Example: "resolve-version plugins/ sandbox.yaml | render-phase -",
		Config:  func() cli.Config { return &resolveConfig{v1alpha1.ResolveVersion{Mode: keep}} },
	}
}
