package rule

import (
	"iter"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/sandbox"
)

// environmentOperation: Sandbox reference, env.
var environmentOperation = Rule{
	ID: "env-operation", Severity: krm.Error,
	Demand:  "A variable's operation is upsert or delete.",
	Why:     "The server knows no other.",
	Example: "spec.forks[0].customizations.env[0].operation: set",
	sandbox: func(c *sandboxCheck) {
		for v := range c.environment() {
			if v.Operation != "" {
				c.oneOf(v.path().Key("operation"), v.Operation, "upsert", "delete")
			}
		}
	},
}

// environmentSource: Sandbox reference, env: value or one valueFrom.
var environmentSource = Rule{
	ID: "env-source", Severity: krm.Error,
	Demand:  "A variable or a file has a value or a valueFrom, not both, and a valueFrom names exactly one source.",
	Why:     "It would have no value, or two.",
	Example: "spec.forks[0].customizations.env[1].value: x",
	sandbox: func(c *sandboxCheck) {
		for v := range c.environment() {
			if from := v.ValueFrom; from != nil {
				c.source(v.path(), v.Value, "resource, fork, configMap and secret",
					from.Resource != nil, from.Fork != nil, from.ConfigMap != nil, from.Secret != nil)
			}
		}
		for path, file := range c.files() {
			if from := file.ValueFrom; from != nil {
				c.source(path, file.Value, "resource, configMap and secret",
					from.Resource != nil, from.ConfigMap != nil, from.Secret != nil)
			}
		}
	},
}

func (c *check) source(path krm.Path, value, sources string, given ...bool) {
	count := 0
	for _, one := range given {
		if one {
			count++
		}
	}
	switch {
	case value != "":
		c.report(path, "must have only one of value and valueFrom")
	case count != 1:
		c.report(path.Key("valueFrom"), "must name exactly one of %s, not %d", sources, count)
	}
}

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
				c.keyed(from.Key("configMap"), (*sandbox.KeysReference)(v.ValueFrom.ConfigMap))
				c.keyed(from.Key("secret"), (*sandbox.KeysReference)(v.ValueFrom.Secret))
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

func (c *sandboxCheck) keyed(path krm.Path, reference *sandbox.KeysReference) {
	if reference == nil {
		return
	}
	if wrong := checkSubdomain(reference.Name); wrong != "" {
		c.report(path.Key("name"), "name %s", wrong)
	}
	if wrong := checkKey(reference.Key); wrong != "" {
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
		var known map[sandbox.Workload]bool
		for v := range c.environment() {
			if v.ValueFrom == nil || v.ValueFrom.Fork == nil {
				continue
			}
			if known == nil {
				known = map[sandbox.Workload]bool{}
				for w := range c.workloads() {
					known[sameKind(*w.Workload)] = true
				}
			}
			path := v.path().Key("valueFrom").Key("fork").Key("forkOf")
			if of := v.ValueFrom.Fork.ForkOf; !known[sameKind(of)] && !c.unreadAt(path) {
				c.report(path, "the %s %q of namespace %q must be one that this sandbox forks", of.Kind, of.Name, of.Namespace)
			}
		}
	},
}

// variable is a variable that a sandbox sets, and where.
type variable struct {
	*sandbox.Env
	fork, local int // one of them is -1
	index       int
}

func (v variable) path() krm.Path {
	if v.fork >= 0 {
		return forkPath(v.fork).Key("customizations").Key("env").Index(v.index)
	}
	return localPath(v.local).Key("env").Index(v.index)
}

// environment runs through the variables of forks and of local workloads.
func (c *sandboxCheck) environment() iter.Seq[variable] {
	return func(yield func(variable) bool) {
		for i, fork := range c.Spec.Forks {
			if fork.Customizations == nil {
				continue
			}
			for n := range fork.Customizations.Env {
				if !yield(variable{Env: &fork.Customizations.Env[n], fork: i, local: -1, index: n}) {
					return
				}
			}
		}
		for i, local := range c.Spec.Local {
			for n := range local.Env {
				if !yield(variable{Env: &local.Env[n], fork: -1, local: i, index: n}) {
					return
				}
			}
		}
	}
}

// files runs through the files of local workloads.
func (c *sandboxCheck) files() iter.Seq2[krm.Path, *sandbox.LocalFile] {
	return func(yield func(krm.Path, *sandbox.LocalFile) bool) {
		for i, local := range c.Spec.Local {
			for n := range local.Files {
				if !yield(localPath(i).Key("files").Index(n), &local.Files[n]) {
					return
				}
			}
		}
	}
}
