package validate

import (
	"path"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

var emptyWorkflow = Rule{
	ID: "empty-workflow", Severity: krm.Error,
	Summary: "A phase that is given has at least one step.",
	Why:     "Signadot refuses an empty workflow; a phase with nothing to do is left out.",
	Example: "spec.delete: []",
	checks: []check{pluginCheck(func(r *Rule, p *plugin) {
		for _, phase := range v1alpha1.Phases {
			if steps := p.Spec.Workflow(phase); steps != nil && len(steps) == 0 {
				p.Report(r, krm.Path("spec").Key(string(phase)), "must have at least one step: add one or leave %s out", phase)
			}
		}
	})},
}

var missingCreate = Rule{
	ID: "missing-create", Severity: krm.Warning,
	Summary: "A plugin has a create phase.",
	Why:     "Without one it provides nothing to the sandboxes that name it.",
	Sources: []string{},
	Example: "spec.create: null",
	checks: []check{pluginCheck(func(r *Rule, p *plugin) {
		if p.Spec.Create == nil {
			p.Report(r, "spec.create", "is absent: a plugin without a create phase provides nothing")
		}
	})},
}

var stepName = Rule{
	ID: "step-name", Severity: krm.Error,
	Summary: "A step's name has letters, digits and inner dashes, starts with a letter, and has at most 30 characters.",
	Why:     "It becomes part of object names and of output keys.",
	Example: "spec.delete[0].name: drop_database",
	checks: eachStep(func(r *Rule, p *plugin, s step) {
		p.Must(r, s.path.Key("name"), "step name", document.CheckIdentifier(s.Name))
	}),
}

var stepUnique = Rule{
	ID: "step-unique", Severity: krm.Error,
	Summary: "A step's name is given once, across both phases.",
	Why:     "References name steps without their phase.",
	Example: "spec.delete[0].name: provision",
	checks: []check{pluginCheck(func(r *Rule, p *plugin) {
		first := map[string]krm.Path{}
		for _, s := range p.steps {
			other, taken := first[s.Name]
			if !taken {
				first[s.Name] = s.path
			} else if s.Name != "" {
				p.Report(r, s.path.Key("name"), "step name %q is already taken by %s: names must be unique across both phases",
					s.Name, other)
			}
		}
	})},
}

// stepAt returns the step at a position.
func (p *plugin) stepAt(at document.StepRef) *v1alpha1.Step {
	return &p.Spec.Workflow(at.Phase)[at.Index]
}

var binaryVariable = Rule{
	ID: "binary-variable", Severity: krm.Warning,
	Summary: "An output in a file of a binary format is read as a file.",
	Why: "A variable has no NUL bytes, so the step that reads the output fails before its script starts. Formats are known " +
		"by the ending of valueFromPath.",
	Sources: []string{"https://man7.org/linux/man-pages/man2/execve.2.html"},
	Example: `spec.delete: [{name: export, script: "#!/bin/sh\nkeytool -v > /tmp/ca.p12", ` +
		`outputs: [{name: ca, valueFromPath: /tmp/ca.p12}]}, ` +
		`{name: drop, script: "#!/bin/sh\necho $CA", inputs: [{name: ca, valueFromStep: {name: export, output: ca}}]}]`,
	checks: eachInput(func(r *Rule, p *plugin, in input) {
		if in.ValueFromStep == nil || in.Env() == "" || p.isDoubtful(in.Input, in.path) {
			return
		}
		for _, s := range p.steps {
			for _, out := range s.Outputs {
				if s.Name == in.ValueFromStep.Name && out.Name == in.ValueFromStep.Output && isBinary(out.ValueFromPath) {
					p.Report(r, in.path, "output %q of step %q is in the binary file %q, which the variable %q cannot have: set as.path, "+
						"and no as.env", out.Name, s.Name, out.ValueFromPath, in.Env())
				}
			}
		}
	}),
}

// isBinary reports whether files of that name have NUL bytes.
func isBinary(file string) bool {
	return slices.Contains(strings.Fields(".p12 .pfx .jks .der .keytab .gz .tgz .xz .bz2 .zst .zip .tar .kdbx"),
		strings.ToLower(path.Ext(file)))
}
