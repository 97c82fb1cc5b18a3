// Command validate-plugin is a KRM function that checks ResourcePlugin, Sandbox and RouteGroup documents against the
// rules of their specifications. It changes nothing.
package main

import (
	"github.com/resource-plugins/krm-functions/pkg/krm/process"
	"github.com/resource-plugins/krm-functions/pkg/native"
	"github.com/resource-plugins/krm-functions/pkg/revision"
)

func main() { process.Main(function()) }

func function() process.Function {
	return process.Function{
		Name: "validate-plugin",
		Purpose: "checks resource plugins, sandboxes and route groups against the rules of their specifications, and changes " +
			"nothing.",
		Kind:   "ValidatePlugin",
		Prints: process.Findings,
		Example: "validate-plugin plugins/ sandbox.yaml\nvalidate-plugin --strict --set cluster=demo .\n" +
			"validate-plugin --base-ref main .",
		Config: func() process.Config { return &config{} },
		OpenRevision: func(name string) (process.Revision, error) {
			return revision.Open(name, native.MaxFile)
		},
	}
}
