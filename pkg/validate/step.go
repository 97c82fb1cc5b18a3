package validate

import (
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/form"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// stepName: ResourcePlugin CRD, step name.
var stepName = Rule{
	ID: "step-name", Severity: krm.Error,
	Demand:  "A step's name has letters, digits and inner dashes, starts with a letter, and has at most 30 characters.",
	Why:     "It becomes part of object names and of output keys.",
	Example: "spec.delete[0].name: drop_database",
	plugin: func(c *pluginCheck) {
		for at, step := range document.Steps(&c.Spec) {
			if wrong := form.Identifier(step.Name); wrong != "" {
				c.report(at.Path().Key("name"), "step name %s", wrong)
			}
		}
	},
}

// stepUnique: the spec's page of the step: names are unique across both phases.
var stepUnique = Rule{
	ID: "step-unique", Severity: krm.Error,
	Demand:  "A step's name is given once, across both phases.",
	Why:     "References name steps without their phase.",
	Example: "spec.delete[0].name: provision",
	plugin: func(c *pluginCheck) {
		first := map[string]document.StepRef{}
		for at, step := range document.Steps(&c.Spec) {
			if other, taken := first[step.Name]; taken && step.Name != "" {
				c.report(at.Path().Key("name"), "step name %q is already taken by %s: names must be unique across both phases",
					step.Name, other.Path())
				continue
			}
			first[step.Name] = at
		}
	},
}

// inputName: ResourcePlugin reference, Step: the same form and length as a step name.
var inputName = Rule{
	ID: "input-name", Severity: krm.Error,
	Demand:  "An input's name has letters, digits and inner dashes, starts with a letter, and has at most 30 characters.",
	Why:     "It names the sandbox's param and, by default, the variable.",
	Example: "spec.create[0].inputs[0].name: db_name",
	plugin: func(c *pluginCheck) {
		for at, step := range document.Steps(&c.Spec) {
			for i := range step.Inputs {
				if wrong := form.Identifier(step.Inputs[i].Name); wrong != "" {
					c.report(at.Input(i).Key("name"), "input name %s", wrong)
				}
			}
		}
	},
}

// inputUnique: ResourcePlugin reference, Step.
var inputUnique = Rule{
	ID: "input-unique", Severity: krm.Error,
	Demand:  "An input's name is given once in a step.",
	Why:     "Of two inputs of one name, one would be lost.",
	Example: "spec.create[0].inputs[1].name: db-name",
	plugin: func(c *pluginCheck) {
		for at, step := range document.Steps(&c.Spec) {
			names := make(map[string]bool, len(step.Inputs))
			for i := range step.Inputs {
				c.once(names, step.Inputs[i].Name, "input", at.Input(i))
			}
		}
	},
}

// outputName: ResourcePlugin reference, Step: the same form and length as a step name.
var outputName = Rule{
	ID: "output-name", Severity: krm.Error,
	Demand:  "An output's name has letters, digits and inner dashes, starts with a letter, and has at most 30 characters.",
	Why:     "It becomes a key of a Secret, and sandboxes address it as <step>.<output>.",
	Example: "spec.create[0].outputs[1].name: db.port",
	plugin: func(c *pluginCheck) {
		for at, step := range document.Steps(&c.Spec) {
			for i := range step.Outputs {
				if wrong := form.Identifier(step.Outputs[i].Name); wrong != "" {
					c.report(at.Output(i).Key("name"), "output name %s", wrong)
				}
			}
		}
	},
}

// outputUnique: ResourcePlugin reference, Step.
var outputUnique = Rule{
	ID: "output-unique", Severity: krm.Error,
	Demand:  "An output's name is given once in a step.",
	Why:     "Of two outputs of one name, one would be lost.",
	Example: "spec.create[0].outputs[1].name: host",
	plugin: func(c *pluginCheck) {
		for at, step := range document.Steps(&c.Spec) {
			names := make(map[string]bool, len(step.Outputs))
			for i := range step.Outputs {
				c.once(names, step.Outputs[i].Name, "output", at.Output(i))
			}
		}
	},
}

// outputPath: ResourcePlugin reference, Step: a file in the main container.
var outputPath = Rule{
	ID: "output-path", Severity: krm.Error,
	Demand:  "An output's valueFromPath is the absolute path of a file, without `..`.",
	Why:     "It is read after the script ended, whatever folder the script was in.",
	Example: "spec.create[0].outputs[0].valueFromPath: tmp/host",
	plugin: func(c *pluginCheck) {
		for at, step := range document.Steps(&c.Spec) {
			for i := range step.Outputs {
				if wrong := form.File(step.Outputs[i].ValueFromPath); wrong != "" {
					c.report(at.Output(i).Key("valueFromPath"), "%s", wrong)
				}
			}
		}
	},
}

// once reports a name that was seen before among the entries of a list. An empty name is for other rules.
func (c *check) once(seen map[string]bool, name, what string, path krm.Path) {
	if seen[name] && name != "" {
		c.report(path.Key("name"), "%s name %q must be unique: it is already taken", what, name)
	}
	seen[name] = true
}
