package validate

import (
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// variableName is about inputs[].as.env of plugins, and env of forks and local workloads.
var variableName = Rule{
	ID: "variable-name", Severity: krm.Error,
	Summary: "An environment variable has letters, digits, `_`, `-` and `.`, and does not start with a digit.",
	Why:     "Kubernetes refuses the Pod otherwise.",
	Sources: []string{"https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#environment-variables"},
	Example: "spec.create[0].inputs[0].as.env: DB NAME",
	checks: []check{
		pluginCheck(func(r *Rule, p *plugin) {
			p.variables(func(path krm.Path, name string) { p.Must(r, path, "", document.CheckVariable(name)) })
		}),
		sandboxCheck(func(r *Rule, s *sandbox) {
			for _, v := range s.environment {
				s.Must(r, v.path.Key("name"), "", document.CheckVariable(v.Name))
			}
		}),
	},
}

// variables calls do for each variable that an input names. A variable that is derived from a valid name is valid.
func (p *plugin) variables(do func(path krm.Path, name string)) {
	for _, in := range p.inputs {
		if in.As != nil && in.As.Env != "" {
			do(in.path.Key("as").Key("env"), in.As.Env)
		}
	}
}
