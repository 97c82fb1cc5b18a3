package validate

import (
	"fmt"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

var unknownStep = Rule{
	ID: "unknown-step", Severity: krm.Error,
	Summary: "An input reads from a step that exists.",
	Why:     "The step would wait for an output that no step writes.",
	Example: "spec.delete[0].inputs[0].valueFromStep.name: provison",
	checks: []check{pluginCheck(func(r *Rule, p *plugin) {
		if len(p.graph().Dangling()) == 0 {
			return
		}
		names, unsure := p.stepNames()
		p.dangling(document.UnknownStep, func(path krm.Path, from *v1alpha1.StepOutput) {
			if !unsure && !slices.ContainsFunc(names, func(name string) bool { return isMisspelled(name, from.Name) }) {
				p.suggest(r, path.Key("name"), "there is no step", from.Name, names, "the input must read from a step of this plugin")
			}
		})
	})},
}

// isMisspelled reports whether a name that another rule reports is likely to be the other one: then only that finding is
// reported.
func isMisspelled(name, other string) bool {
	nearest, _ := strictyaml.Suggest(other, []string{name})
	return nearest != "" && document.CheckIdentifier(name) != ""
}

var unknownOutput = Rule{
	ID: "unknown-output", Severity: krm.Error,
	Summary: "An input reads an output that the step has.",
	Why:     "The step would wait for an output that no step writes.",
	Example: "spec.delete[0].inputs[0].valueFromStep.output: hots",
	checks: []check{pluginCheck(func(r *Rule, p *plugin) {
		if len(p.graph().Dangling()) == 0 {
			return
		}
		byName := map[string][]step{} // one step each if names are unique
		for _, s := range p.steps {
			byName[s.Name] = append(byName[s.Name], s)
		}
		p.dangling(document.UnknownOutput, func(path krm.Path, from *v1alpha1.StepOutput) {
			outputs, unsure := p.outputNames(byName[from.Name])
			if !unsure && !slices.ContainsFunc(outputs, func(name string) bool { return isMisspelled(name, from.Output) }) {
				p.suggest(r, path.Key("output"), fmt.Sprintf("step %q has no output", from.Name), from.Output, outputs,
					"its outputs are "+strictyaml.Listed(outputs))
			}
		})
	})},
}

var createFromDelete = Rule{
	ID: "create-from-delete", Severity: krm.Error,
	Summary: "A create step reads no output of a delete step.",
	Why:     "The delete phase runs when the sandbox ends, long after the create phase.",
	Example: "spec.create[1].inputs[0].valueFromStep: {name: drop, output: log}",
	checks: []check{pluginCheck(func(r *Rule, p *plugin) {
		p.dangling(document.CreateFromDelete, func(path krm.Path, from *v1alpha1.StepOutput) {
			p.Report(r, path.Key("name"), "a create step must not read from the delete step %q, which runs long after it", from.Name)
		})
	})},
}

// dangling calls do for each reference with a fault, with the path of its valueFromStep.
func (p *plugin) dangling(fault document.Fault, do func(krm.Path, *v1alpha1.StepOutput)) {
	for _, d := range p.graph().Dangling() {
		path := d.At.Input(d.Input).Key("valueFromStep")
		if d.Fault == fault && !p.Unsure(path) {
			do(path, p.stepAt(d.At).Inputs[d.Input].ValueFromStep)
		}
	}
}

// stepNames returns the names of all steps, and whether there may be more: steps with unreadable names, or those of a
// missing create phase.
func (p *plugin) stepNames() (names []string, unsure bool) {
	unsure = p.Spec.Create == nil || p.Unsure("spec.create") || p.Unsure("spec.delete")
	for _, s := range p.steps {
		names = append(names, s.Name)
		unsure = unsure || p.Unsure(s.path) || p.Unsure(s.path.Key("name"))
	}
	return names, unsure
}

// outputNames returns the names of the outputs of steps, and whether there may be more that could not be read.
func (p *plugin) outputNames(steps []step) (names []string, unsure bool) {
	for _, s := range steps {
		unsure = unsure || p.Unsure(s.path) || p.Unsure(s.path.Key("outputs"))
		for i, out := range s.Outputs {
			names = append(names, out.Name)
			unsure = unsure || p.Unsure(s.at.Output(i).Key("name"))
		}
	}
	return names, unsure
}
