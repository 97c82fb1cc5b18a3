// Command validate-plugin is a KRM function that checks ResourcePlugin, Sandbox and RouteGroup documents against the
// rules of their specifications. It changes nothing.
package main

import (
	"github.com/resource-plugins/krm-functions/pkg/krm/process"
	"github.com/resource-plugins/krm-functions/pkg/native"
	"github.com/resource-plugins/krm-functions/pkg/revision"
	"github.com/resource-plugins/krm-functions/pkg/rule"
)

func main() { process.Main(function()) }

func function() process.Function {
	return process.Function{
		Name: "validate-plugin",
		Purpose: "checks resource plugins, sandboxes and route groups against the rules of their specifications, and changes " +
			"nothing unless --fix asks for it.",
		Kind:   "ValidatePlugin",
		Prints: process.Findings,
		Example: "validate-plugin plugins/ sandbox.yaml\nvalidate-plugin --strict --set cluster=demo .\n" +
			"validate-plugin --base-ref main .",
		Config: func() process.Config { return &config{} },
		Rules:  descriptions,
		OpenRevision: func(name string) (process.Revision, error) {
			return revision.Open(name, native.MaxFile)
		},
	}
}

// descriptions tells the formats that describe rules what ours are.
func descriptions() []process.RuleDescription {
	all := make([]process.RuleDescription, len(rule.Rules))
	for i, r := range rule.Rules {
		all[i] = process.RuleDescription{ID: r.ID, Severity: r.Severity, Demand: r.Demand, Why: r.Why}
	}
	return all
}
