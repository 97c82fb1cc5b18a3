package validate_test

import (
	"testing"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/validate"
	"github.com/resource-plugins/krm-functions/test/framework/rulefile"
)

func TestRulesAreInTheFilesOfTheirFields(t *testing.T) {
	t.Parallel()
	rulefile.Check(t, validate.Rules(), map[string]string{
		contract.ResourcePlugin: "plugin", contract.Sandbox: "sandbox", contract.RouteGroup: "routegroup",
		contract.PluginTest: "plugintest", contract.OutputSecret: "outputsecret",
	})
}
