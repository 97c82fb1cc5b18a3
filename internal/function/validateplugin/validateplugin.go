// Package validateplugin is the KRM function validate-plugin: it checks documents and changes nothing. Its main runs New:
//
//	func main() { cli.Main(validateplugin.New()) }
//
// Check processes a list, for commands that check documents before they do more.
package validateplugin

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// New returns the KRM function validate-plugin.
func New(extensions ...extension.Extension) cli.Function {
	rules := extension.Rules(extensions)
	return cli.Function{
		Name: "validate-plugin",
		Purpose: "checks resource plugins, sandboxes, route groups and Crossplane packages against the rules of their " +
			"specifications, and changes nothing unless --fix asks for it.",
		Kind: "ValidatePlugin",
		Example: "validate-plugin plugins/ sandbox.yaml\nvalidate-plugin --strict --set cluster=demo .\n" +
			"validate-plugin --base-ref main .",
		Extensions:   extensions,
		Config:       func() cli.Config { return &Config{extensions: extensions} },
		Modes:        func() []cli.Mode { return []cli.Mode{&cli.Findings{}} },
		ReadsProject: true,
		Project:      []string{"rules", "strict", "catalogs"},
		Rules:        slices.Concat(validate.Rules(rules...), validate.FileRules(rules...)),
		OpenRevision: func(name string) (cli.Revision, error) {
			return load.OpenRevision(name, load.MaxFile)
		},
	}
}

// Config says how strictly to check.
type Config struct {
	v1alpha1.ValidatePlugin
	extensions []extension.Extension
}

func (c Config) options() validate.Options {
	return validate.Options{Strict: c.Strict, Rules: c.Rules, Extensions: extension.Rules(c.extensions)}
}

// Suppress implements cli.Suppressor.
func (c Config) Suppress(list *krm.ResourceList, results krm.Results) (krm.Results, []validate.Suppressed) {
	return validate.Suppress(list, results, c.options())
}

// Process checks the plugins, sandboxes, route groups, catalogs and locks of the list. It edits no item, so that the list
// comes out as it went in but for its results: kustomize refuses a validator that changes anything.
func (c *Config) Process(call cli.Call) (string, error) {
	if c.Strict {
		call.RefuseFileWarnings()
	}
	checked, err := Check(call.List, c.options(), BaseOf(call), c.extensions...)
	if call.OptionErrors(err) {
		return "", nil
	} else if err != nil {
		return "", err
	}
	return checked.withSandboxes(call.Reused).String(), nil
}

// BaseOf returns the older state that the documents are compared with, nil without one.
func BaseOf(call cli.Call) *validate.Base {
	then := call.Base
	if then == nil {
		return nil
	}
	base := &validate.Base{List: then.List, Elsewhere: then.Elsewhere, Today: then.Today, Partial: then.Partial}
	base.Literals = func(node *yaml.Node) []string { return literals(node.Value, then.Origins(node)) }
	return base
}

// literals returns the parts of a text around the values of template variables.
func literals(text string, origins []load.Origin) []string {
	var parts []string
	from := 0
	for _, o := range origins {
		if o.Variable != "" {
			parts = append(parts, text[from:o.Start])
			from = o.End
		}
	}
	return append(parts, text[from:])
}
