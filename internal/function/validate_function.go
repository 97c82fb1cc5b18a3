package function

import (
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// ValidatePlugin is the KRM function validate-plugin.
func ValidatePlugin() cli.Function {
	return cli.Function{
		Name: "validate-plugin",
		Purpose: "checks resource plugins, sandboxes and route groups against the rules of their specifications, and changes " +
			"nothing unless --fix asks for it.",
		Kind:   "ValidatePlugin",
		Output: cli.Findings,
		Example: "validate-plugin plugins/ sandbox.yaml\nvalidate-plugin --strict --set cluster=demo .\n" +
			"validate-plugin --base-ref main .",
		Config: func() cli.Config { return &validateConfig{} },
		Rules:  descriptions,
		OpenRevision: func(name string) (cli.Revision, error) {
			return load.OpenRevision(name, load.MaxFile)
		},
	}
}

// descriptions tells the formats that describe rules what ours are.
func descriptions() []report.Rule {
	all := make([]report.Rule, len(validate.Rules))
	for i, r := range validate.Rules {
		all[i] = report.Rule{ID: r.ID, Severity: r.Severity, Description: r.Demand, Why: r.Why}
	}
	return all
}
