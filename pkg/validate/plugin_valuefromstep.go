package validate

import (
	"fmt"

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
		wrong := wrongNames(names)
		p.dangling(document.UnknownStep, func(path krm.Path, from *v1alpha1.StepOutput) {
			if !unsure && !isMisspelled(from.Name, wrong) {
				p.suggest(r, path.Key("name"), "there is no step", from.Name, names, "the input must read from a step of this plugin")
			}
		})
	})},
}

// wrongNames returns the names that other rules refuse.
func wrongNames(names []string) (wrong []string) {
	for _, name := range names {
		if document.CheckIdentifier(name) != "" {
			wrong = append(wrong, name)
		}
	}
	return wrong
}

// isMisspelled reports whether a name is likely to mean one of some names that other rules refuse: then only those are
// reported. Like suggestions, it considers a limited number.
func isMisspelled(name string, wrong []string) bool {
	nearest, _ := strictyaml.Suggest(name, wrong)
	return nearest != ""
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
		byName := p.outputsByStep()
		p.dangling(document.UnknownOutput, func(path krm.Path, from *v1alpha1.StepOutput) {
			if of := byName[from.Name]; !of.unsure && !isMisspelled(from.Output, of.wrong) {
				p.suggest(r, path.Key("output"), fmt.Sprintf("step %q has no output", from.Name), from.Output, of.names,
					"its outputs are "+strictyaml.Listed(of.names))
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

// stepOutputs is the outputs of the steps of a name.
type stepOutputs struct {
	names  []string
	wrong  []string // the names that other rules refuse
	unsure bool     // there may be more, which could not be read
}

// outputsByStep returns the outputs of the steps by their names, which are unique in a valid plugin.
func (p *plugin) outputsByStep() map[string]*stepOutputs {
	byName := map[string]*stepOutputs{}
	for _, s := range p.steps {
		of := byName[s.Name]
		if of == nil {
			of = &stepOutputs{}
			byName[s.Name] = of
		}
		of.unsure = of.unsure || p.Unsure(s.path) || p.Unsure(s.path.Key("outputs"))
		for i, out := range s.Outputs {
			of.names = append(of.names, out.Name)
			of.unsure = of.unsure || p.Unsure(s.at.Output(i).Key("name"))
		}
	}
	for _, of := range byName {
		of.wrong = wrongNames(of.names)
	}
	return byName
}
