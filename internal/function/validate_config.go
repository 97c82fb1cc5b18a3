package function

import (
	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// config is what a user can choose.
type validateConfig struct{ v1alpha1.ValidatePlugin }

// Process checks the plugins, sandboxes, route groups, catalogs and locks of the list. It edits no item, so that the list
// comes out as it went in but for its results: kustomize refuses a validator that changes anything.
func (c *validateConfig) Process(call cli.Call) (string, error) {
	levels, wrong := validate.ParseLevels(c.Strict, c.Rules)
	for _, w := range wrong {
		call.ConfigError(krm.Path("rules").Key(w.Rule), w.Message)
	}
	if len(wrong) > 0 {
		return "", nil
	}
	report, err := validate.Check(call.List, levels)
	if err != nil {
		return "", err
	}
	call.List.Report(report.Results...)
	call.List.Report(validatePublished(call.List)...)
	if then := call.Base; then != nil {
		older := validate.Older{List: then.List, Partial: then.Partial, Origins: then.Origins}
		found, err := validate.CheckUpdate(call.List, older, levels)
		if err != nil {
			return "", err
		}
		call.List.Report(found...)
	}
	return "checked " + validateSummary(report), nil
}

// published returns what is wrong with the catalogs and locks of the list, and which plugins are not what those say was
// published.
func validatePublished(list *krm.ResourceList) []krm.Result {
	for _, item := range list.Items() {
		if kind := item.Kind(); kind == contract.Catalog || kind == contract.PluginLock {
			return resolve.LintPublished(list.Items())
		}
	}
	return nil
}

// summary says how many documents of each kind were checked; route groups are rare.
func validateSummary(report validate.Report) string {
	plugins, sandboxes := cli.Count(report.Plugins, "plugin"), cli.Count(report.Sandboxes, "sandbox")
	if report.RouteGroups == 0 {
		return plugins + " and " + sandboxes
	}
	return plugins + ", " + sandboxes + " and " + cli.Count(report.RouteGroups, "route group")
}
