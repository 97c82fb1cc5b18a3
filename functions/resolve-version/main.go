// Command resolve-version is a KRM function that pins the plugin versions that sandboxes refer to.
package main

import "github.com/resource-plugins/krm-functions/pkg/krm/process"

func main() { process.Main(function()) }

func function() process.Function {
	return process.Function{
		Name:    "resolve-version",
		Purpose: "pins the plugins that sandboxes refer to, and records what was asked for and the digest.",
		Kind:    "ResolveVersion",
		Prints:  process.Documents,
		Example: "resolve-version plugins/ sandbox.yaml | render-phase -",
		Config:  func() process.Config { return &config{Mode: keep} },
	}
}
