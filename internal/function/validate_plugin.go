package function

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/stackresolve"
	"github.com/resource-plugins/krm-functions/internal/template"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// ValidatePlugin is the KRM function validate-plugin.
func ValidatePlugin() cli.Function {
	return cli.Function{
		Name: "validate-plugin",
		Purpose: "checks resource plugins, sandboxes, route groups and Crossplane packages against the rules of their " +
			"specifications, and changes nothing unless --fix asks for it.",
		Kind:   "ValidatePlugin",
		Output: cli.Findings,
		Example: "validate-plugin plugins/ sandbox.yaml\nvalidate-plugin --strict --set cluster=demo .\n" +
			"validate-plugin --base-ref main .",
		Config: func() cli.Config { return &validatePlugin{} },
		Rules:  slices.Concat(validate.Rules, validate.FileRules),
		Suppress: func(config cli.Config, list *krm.ResourceList, results krm.Results) (krm.Results, []validate.Suppressed) {
			return validate.Suppress(list, results, config.(*validatePlugin).options())
		},
		OpenRevision: func(name string) (cli.Revision, error) {
			return load.OpenRevision(name, load.MaxFile)
		},
	}
}

// validatePlugin says how strictly to check.
type validatePlugin struct{ v1alpha1.ValidatePlugin }

// ApplyProject implements cli.ProjectConfig.
func (c *validatePlugin) ApplyProject(file v1alpha1.Project, given func(flag string) bool) {
	if !given("strict") {
		c.Strict = file.Strict
	}
	for id, level := range file.Rules {
		if c.Rules[id] == "" {
			if c.Rules == nil {
				c.Rules = map[string]string{}
			}
			c.Rules[id] = level
		}
	}
}

func (c *validatePlugin) options() validate.Options {
	return validate.Options{Strict: c.Strict, Rules: c.Rules}
}

// Process checks the plugins, sandboxes, route groups, catalogs and locks of the list. It edits no item, so that the list
// comes out as it went in but for its results: kustomize refuses a validator that changes anything.
func (c *validatePlugin) Process(call cli.Call) (string, error) {
	options := c.options()
	checked, err := validate.Check(call.List, options)
	if reportOptions(call, err) {
		return "", nil
	} else if err != nil {
		return "", err
	}
	call.List.Report(checked.Results...)
	call.List.Report(resolve.LintPublished(call.List.Items())...)
	call.List.Report(slices.DeleteFunc(stackresolve.Lint(call.List.Items()), isNotAboutCatalog)...)
	if then := call.Base; then != nil {
		base := validate.Base{List: then.List, Elsewhere: then.Elsewhere, Partial: then.Partial}
		base.Literals = func(node *yaml.Node) []string { return literals(node.Value, then.Origins(node)) }
		found, err := validate.CheckUpdate(call.List, base, options)
		if err != nil {
			return "", err
		}
		call.List.Report(found...)
	}
	return "checked " + validateSummary(checked), nil
}

// isNotAboutCatalog reports whether a result is about a package's own document, which rules check, or about a lock, whose
// packages may be imported later.
func isNotAboutCatalog(one krm.Result) bool {
	return one.ResourceRef == nil || one.ResourceRef.Kind != contract.Catalog
}

// literals returns the parts of a text around the values of template variables.
func literals(text string, origins []template.Origin) []string {
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

// validateSummary says how many documents of each kind were checked; all but plugins and sandboxes are rare.
func validateSummary(checked validate.Report) string {
	counts := []string{cli.Count(checked.Plugins, "plugin"), cli.Count(checked.Sandboxes, "sandbox")}
	for _, rare := range []struct {
		n    int
		noun string
	}{{checked.RouteGroups, "route group"}, {checked.Requests, "package request"}, {checked.Packages, "package"}} {
		if rare.n > 0 {
			counts = append(counts, cli.Count(rare.n, rare.noun))
		}
	}
	last := len(counts) - 1
	return strings.Join(counts[:last], ", ") + " and " + counts[last]
}
