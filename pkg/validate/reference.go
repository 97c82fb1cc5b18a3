package validate

import (
	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/form"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// keyReference: Kubernetes API validation, ConfigMap and Secret: their names, and at most 253 letters, digits, dashes,
// underscores and dots in a key.
var keyReference = Rule{
	ID: "key-reference", Severity: krm.Error,
	Demand:  "A ConfigMap or a Secret is named as Kubernetes names one, and so is a key of it.",
	Why:     "There can be no such object, or no such key.",
	Example: "spec.forks[0].customizations.env[3].valueFrom.secret.key: a/b",
	sandbox: func(c *sandboxCheck) {
		for v := range c.environment() {
			if v.ValueFrom != nil {
				from := v.path().Key("valueFrom")
				c.keyed(from.Key("configMap"), (*v1alpha1.KeysReference)(v.ValueFrom.ConfigMap))
				c.keyed(from.Key("secret"), (*v1alpha1.KeysReference)(v.ValueFrom.Secret))
			}
		}
		for path, file := range c.files() {
			if file.ValueFrom != nil {
				c.keyed(path.Key("valueFrom").Key("configMap"), file.ValueFrom.ConfigMap)
				c.keyed(path.Key("valueFrom").Key("secret"), file.ValueFrom.Secret)
			}
		}
	},
}

func (c *sandboxCheck) keyed(path krm.Path, reference *v1alpha1.KeysReference) {
	if reference == nil {
		return
	}
	if wrong := form.Subdomain(reference.Name); wrong != "" {
		c.report(path.Key("name"), "name %s", wrong)
	}
	if wrong := form.Key(reference.Key); wrong != "" {
		c.report(path.Key("key"), "key %s", wrong)
	}
}

// forkReference: Sandbox reference, env: the value is taken from another fork, of this sandbox.
var forkReference = Rule{
	ID: "fork-reference", Severity: krm.Error,
	Demand:  "A variable that takes its value from a fork names a workload that this sandbox forks.",
	Why:     "There is no such fork to take the value from.",
	Example: "spec.forks[0].customizations.env[2].valueFrom.fork.forkOf.name: nobody",
	sandbox: func(c *sandboxCheck) {
		if c.unsure("spec.forks") || c.unsure("spec.local") {
			return
		}
		for w := range c.workloads() {
			if c.unread(w) {
				return
			}
		}
		var known map[v1alpha1.Workload]bool
		for v := range c.environment() {
			if v.ValueFrom == nil || v.ValueFrom.Fork == nil {
				continue
			}
			if known == nil {
				known = map[v1alpha1.Workload]bool{}
				for w := range c.workloads() {
					known[w.Plain()] = true
				}
			}
			path := v.path().Key("valueFrom").Key("fork").Key("forkOf")
			if of := v.ValueFrom.Fork.ForkOf; !known[of.Plain()] && !c.unreadAt(path) {
				c.report(path, "the %s %q of namespace %q must be one that this sandbox forks", of.Kind, of.Name, of.Namespace)
			}
		}
	},
}
