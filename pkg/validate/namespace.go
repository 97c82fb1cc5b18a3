package validate

import (
	"github.com/resource-plugins/krm-functions/internal/form"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// runnerNamespace: ResourcePlugin spec, spec.runner.namespace.
var runnerNamespace = Rule{
	ID: "runner-namespace", Severity: krm.Error,
	Demand:  "The runner's namespace is a valid namespace name.",
	Why:     "The steps run in it, and no other name can be created.",
	Example: "spec.runner.namespace: My_Tools",
	plugin: func(c *pluginCheck) {
		if wrong := form.Label(c.Spec.Runner.Namespace); wrong != "" {
			c.report("spec.runner.namespace", "namespace %s", wrong)
		}
	},
}
