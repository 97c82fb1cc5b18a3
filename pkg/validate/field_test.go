package validate_test

import (
	"slices"
	"testing"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/validate"
	"github.com/resource-plugins/krm-functions/test/framework/rulefile"
)

func TestRulesAreInTheFilesOfTheirFields(t *testing.T) {
	t.Parallel()
	prefixes := map[string]string{
		contract.ResourcePlugin: "plugin", contract.Sandbox: "sandbox", contract.RouteGroup: "routegroup",
		contract.PluginTest: "plugintest",
	}
	rules := slices.DeleteFunc(validate.Rules(), func(r *validate.Rule) bool { return prefixes[r.Kinds[0]] == "" }) // without rules of stacks
	rulefile.Check(t, rules, prefixes)
}
