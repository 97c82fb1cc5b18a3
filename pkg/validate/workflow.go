package validate

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// emptyWorkflow: ResourcePlugin spec, phase workflow: workflows must contain at least one step.
var emptyWorkflow = Rule{
	ID: "empty-workflow", Severity: krm.Error,
	Demand:  "A phase that is given has at least one step.",
	Why:     "The server refuses an empty workflow; a phase with nothing to do is left out.",
	Example: "spec.delete: []",
	plugin: func(c *pluginCheck) {
		for _, phase := range v1alpha1.Phases {
			if steps := c.Spec.Workflow(phase); steps != nil && len(steps) == 0 {
				c.report(krm.Path("spec").Key(string(phase)), "must have at least one step: add one or leave %s out", phase)
			}
		}
	},
}

// missingCreate: ResourcePlugin reference, Document: create is in every real plugin.
var missingCreate = Rule{
	ID: "missing-create", Severity: krm.Warning,
	Demand:  "A plugin has a create phase.",
	Why:     "Without one it provides nothing to the sandboxes that name it.",
	Example: "spec.create: null",
	plugin: func(c *pluginCheck) {
		if c.Spec.Create == nil {
			c.report("spec.create", "is absent: a plugin without a create phase provides nothing")
		}
	},
}

// unknownStep: ResourcePlugin reference, Flow.
var unknownStep = Rule{
	ID: "unknown-step", Severity: krm.Error,
	Demand:  "An input reads from a step that exists.",
	Why:     "The step would wait for an output that nobody writes.",
	Example: "spec.delete[0].inputs[0].valueFromStep.name: provison",
	plugin: func(c *pluginCheck) {
		if len(c.steps().Dangling()) == 0 {
			return
		}
		names, unsure := c.stepNames()
		c.dangling(document.UnknownStep, func(path krm.Path, from *v1alpha1.StepOutput) {
			if !unsure {
				c.suggest(path.Key("name"), "there is no step", from.Name, names, "the input must read from a step of this plugin")
			}
		})
	},
}

// unknownOutput: ResourcePlugin reference, Flow.
var unknownOutput = Rule{
	ID: "unknown-output", Severity: krm.Error,
	Demand:  "An input reads an output that the step has.",
	Why:     "The step would wait for an output that nobody writes.",
	Example: "spec.delete[0].inputs[0].valueFromStep.output: hots",
	plugin: func(c *pluginCheck) {
		if len(c.steps().Dangling()) == 0 {
			return
		}
		steps := c.stepsByName()
		c.dangling(document.UnknownOutput, func(path krm.Path, from *v1alpha1.StepOutput) {
			outputs, unsure := c.outputs(steps[from.Name])
			if !unsure {
				c.suggest(path.Key("output"), fmt.Sprintf("step %q has no output", from.Name), from.Output, outputs,
					"its outputs are "+listed(outputs))
			}
		})
	},
}

// createFromDelete: ResourcePlugin spec, phase workflow: outputs of delete cannot be inputs of create.
var createFromDelete = Rule{
	ID: "create-from-delete", Severity: krm.Error,
	Demand:  "A create step reads no output of a delete step.",
	Why:     "The delete phase runs when the sandbox ends, long after the create phase.",
	Example: "spec.create[1].inputs[0].valueFromStep: {name: drop, output: log}",
	plugin: func(c *pluginCheck) {
		c.dangling(document.CreateFromDelete, func(path krm.Path, from *v1alpha1.StepOutput) {
			c.report(path.Key("name"), "a create step must not read from the delete step %q, which runs long after it", from.Name)
		})
	},
}

// stepCycle: ResourcePlugin spec, phase workflow: I/O cycles are forbidden.
var stepCycle = Rule{
	ID: "step-cycle", Severity: krm.Error,
	Demand:  "No step waits for itself, directly or through others.",
	Why:     "None of the steps of a cycle could ever start.",
	Example: "spec.create[0].inputs[0]: {name: user, valueFromStep: {name: seed, output: user}}",
	plugin: func(c *pluginCheck) {
		for _, cycle := range c.steps().Cycles() {
			c.report(cycle.Steps[0].Input(cycle.Input).Key("valueFromStep").Key("name"),
				"steps must not wait for each other: %s", cycle)
		}
	},
}

// dangling calls do for each reference with a fault, with the path of its valueFromStep.
func (c *pluginCheck) dangling(fault document.Fault, do func(krm.Path, *v1alpha1.StepOutput)) {
	for _, dangle := range c.steps().Dangling() {
		path := dangle.At.Input(dangle.Input).Key("valueFromStep")
		if dangle.Fault == fault && !c.unsure(path) {
			do(path, c.step(dangle.At).Inputs[dangle.Input].ValueFromStep)
		}
	}
}

// stepNames returns the names of all steps, and whether there may be more: one whose name could not be read, or those
// of a create phase that is missing.
func (c *pluginCheck) stepNames() (names []string, unsure bool) {
	unsure = c.Spec.Create == nil || c.unsure("spec.create") || c.unsure("spec.delete")
	for at, step := range document.Steps(&c.Spec) {
		names = append(names, step.Name)
		unsure = unsure || len(c.problems) > 0 && (c.unsure(at.Path()) || c.unsure(at.Path().Key("name")))
	}
	return names, unsure
}

// stepsByName returns the places of the steps of each name: of one, where the names are as they must be.
func (c *pluginCheck) stepsByName() map[string][]document.StepRef {
	steps := map[string][]document.StepRef{}
	for at, step := range document.Steps(&c.Spec) {
		steps[step.Name] = append(steps[step.Name], at)
	}
	return steps
}

// outputs returns the names of the outputs of some steps, and whether there may be more that could not be read.
func (c *pluginCheck) outputs(steps []document.StepRef) (names []string, unsure bool) {
	for _, at := range steps {
		unsure = unsure || c.unsure(at.Path()) || c.unsure(at.Path().Key("outputs"))
		for i, output := range c.step(at).Outputs {
			names = append(names, output.Name)
			unsure = unsure || len(c.problems) > 0 && c.unsure(at.Output(i).Key("name"))
		}
	}
	return names, unsure
}
