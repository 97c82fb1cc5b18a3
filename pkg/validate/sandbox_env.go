package validate

import (
	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Rules for the env of forks and local workloads, and the files of local workloads.

var environmentOperation = Rule{
	ID: "env-operation", Severity: krm.Error,
	Summary: "A variable's operation is upsert or delete.",
	Why:     "Signadot knows no other.",
	Example: "spec.forks[0].customizations.env[0].operation: set",
	checks: []check{sandboxCheck(func(r *Rule, s *sandbox) {
		for _, v := range s.environment {
			s.OneOf(r, v.path.Key("operation"), v.Operation, "upsert", "delete")
		}
	})},
}

var environmentSource = Rule{
	ID: "env-source", Severity: krm.Error,
	Summary: "A variable or a file has a value or a valueFrom, not both, and a valueFrom names exactly one source.",
	Why:     "It would have no value, or two.",
	Example: "spec.forks[0].customizations.env[1].value: x",
	checks: eachSource(func(r *Rule, s *sandbox, v valueSource) {
		given := count(v.resource != nil, v.fork != nil, v.configMap != nil, v.secret != nil)
		if v.value != "" {
			s.Report(r, v.path, "must have only one of value and valueFrom")
		} else if given != 1 {
			s.Report(r, v.path.Key("valueFrom"), "must name exactly one of %s, not %d", v.allowed, given)
		}
	}),
}

// count returns the number of true conditions.
func count(conditions ...bool) (n int) {
	for _, condition := range conditions {
		if condition {
			n++
		}
	}
	return n
}

var forkReference = Rule{
	ID: "fork-reference", Severity: krm.Error,
	Summary: "A variable that takes its value from a fork names a workload that this sandbox forks.",
	Why:     "There is no such fork to take the value from.",
	Example: "spec.forks[0].customizations.env[2].valueFrom.fork.forkOf.name: unknown",
	checks: []check{sandboxCheck(func(r *Rule, s *sandbox) {
		unsure := s.Unsure("spec.forks") || s.Unsure("spec.local")
		known := make(map[v1alpha1.Workload]bool, len(s.workloads))
		for _, w := range s.workloads {
			known[w.Plain()] = true
			unsure = unsure || s.unreadWorkload(w.path)
		}
		for _, v := range s.sources {
			if unsure || v.fork == nil {
				continue
			}
			path := v.from("fork").Key("forkOf")
			if of := v.fork.ForkOf; !known[of.Plain()] && !s.unreadWorkload(path) {
				s.Report(r, path, "the %s %q of namespace %q must be one that this sandbox forks", of.Kind, of.Name, of.Namespace)
			}
		}
	})},
}

var keyReference = Rule{
	ID: "key-reference", Severity: krm.Error,
	Summary: "The name of a ConfigMap or a Secret is a valid Kubernetes name, and so is the key.",
	Why:     "There can be no such object, or no such key.",
	Sources: []string{kubernetesName, "https://kubernetes.io/docs/concepts/configuration/configmap/"},
	Example: "spec.forks[0].customizations.env[3].valueFrom.secret.key: a/b",
	checks: eachSource(func(r *Rule, s *sandbox, v valueSource) {
		for key, reference := range map[string]*v1alpha1.KeysReference{"configMap": v.configMap, "secret": v.secret} {
			if reference != nil {
				s.Must(r, v.from(key).Key("name"), "name", document.CheckSubdomain(reference.Name))
				s.Must(r, v.from(key).Key("key"), "key", document.CheckKey(reference.Key))
			}
		}
	}),
}

var resourceReference = Rule{
	ID: "resource-reference", Severity: krm.Error,
	Summary: "A variable or a file that takes an output names a resource of this sandbox.",
	Why:     "There is no such resource to take the output from.",
	Example: "spec.forks[0].customizations.env[1].valueFrom.resource.name: dbb",
	checks: []check{sandboxCheck(func(r *Rule, s *sandbox) {
		names, known := make([]string, 0, len(s.Spec.Resources)), make(map[string]bool, len(s.Spec.Resources))
		unsure := s.Unsure("spec.resources")
		for i, resource := range s.Spec.Resources {
			names = append(names, resource.Name)
			known[resource.Name] = true
			unsure = unsure || len(s.problems) > 0 && (s.Unsure(resourcePath(i)) || s.Unsure(resourcePath(i).Key("name")))
		}
		for _, v := range s.sources {
			if v.resource != nil && !known[v.resource.Name] && !unsure {
				s.suggest(r, v.from("resource").Key("name"), "there is no resource", v.resource.Name, names,
					"it must be one of this sandbox's resources: "+strictyaml.Listed(names))
			}
		}
	})},
}

// eachSource checks each source of variables and files.
func eachSource(do func(*Rule, *sandbox, valueSource)) []check {
	return []check{sandboxCheck(each(func(s *sandbox) []valueSource { return s.sources }, do))}
}

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
