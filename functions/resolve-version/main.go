// Command resolve-version is a KRM function that pins the plugin versions that sandboxes refer to.
package main

import "github.com/resource-plugins/krm-functions/internal/cli"

func main() { cli.Main(ResolveVersion()) }

func ResolveVersion() cli.Function {
	return cli.Function{
		Name:    "resolve-version",
		Purpose: "pins the plugins that sandboxes refer to, and records what was asked for and the digest.",
		Kind:    "ResolveVersion",
		Prints:  cli.Documents,
		Example: "resolve-version plugins/ sandbox.yaml | render-phase -",
		Config:  func() cli.Config { return &config{Mode: keep} },
	}
}
