package validate

import (
	"iter"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
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

// variable is a variable that a sandbox sets, and where.
type variable struct {
	*v1alpha1.Env
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
func (c *sandboxCheck) files() iter.Seq2[krm.Path, *v1alpha1.LocalFile] {
	return func(yield func(krm.Path, *v1alpha1.LocalFile) bool) {
		for i, local := range c.Spec.Local {
			for n := range local.Files {
				if !yield(localPath(i).Key("files").Index(n), &local.Files[n]) {
					return
				}
			}
		}
	}
}
