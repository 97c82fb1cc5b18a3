package validate

import (
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

var runnerNamespace = Rule{
	ID: "runner-namespace", Severity: krm.Error,
	Summary: "The runner's namespace is a valid namespace name.",
	Why:     "The steps run in it, and no other name can be created.",
	Sources: []string{pluginSpec, kubernetesName},
	Example: "spec.runner.namespace: My_Tools",
	checks: []check{pluginCheck(func(r *Rule, p *plugin) {
		p.Must(r, "spec.runner.namespace", "namespace", document.CheckLabel(p.Spec.Runner.Namespace))
	})},
}
