package validate

import (
	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/overlay"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// plugin is a plugin being checked. Values that several rules need are computed once.
type plugin struct {
	*document.Plugin
	Document

	name    document.PluginName
	nameErr error // why the name is not valid

	steps   []step
	inputs  []input
	outputs []output

	params     map[string][]input // the inputs that use each param
	takes      *document.Params
	needed     []string // the params that must be given, sorted
	outputKeys []string // the keys that sandboxes can refer to, in the order of declaration
	outputsOf  *document.OutputIndex
	deletes    map[string]bool // the names of the delete steps

	workflows map[v1alpha1.Phase]*names // the names of the steps of phases
	produced  map[*v1alpha1.Step]*names // the names of the outputs of steps

	stepGraph       *document.Graph
	podTemplate     *overlay.Overlay
	overlayProblems []strictyaml.Problem
}

// step is a step with its path.
type step struct {
	*v1alpha1.Step
	at   document.StepRef
	path krm.Path
}

// input is an input with its path and its step.
type input struct {
	*v1alpha1.Input
	step *v1alpha1.Step
	path krm.Path
}

// output is an output with its path.
type output struct {
	*v1alpha1.Output
	path krm.Path
}

// read decodes the document.
func (p *plugin) read() {
	read, problems := document.ReadPlugin(p.item)
	p.Plugin, p.Document = read, newDocument(p.item, problems)
	p.name, p.nameErr = document.ParsePluginName(p.Name)
	p.params, p.takes = map[string][]input{}, document.NewParams(p.Name, &p.Spec)
	p.outputsOf, p.deletes = document.NewOutputIndex(&p.Spec), map[string]bool{}
	p.workflows, p.produced = map[v1alpha1.Phase]*names{}, map[*v1alpha1.Step]*names{}
	for at, s := range document.Steps(&p.Spec) {
		p.steps = append(p.steps, step{Step: s, at: at, path: at.Path()})
		if at.Phase == v1alpha1.PhaseDelete {
			p.deletes[s.Name] = true
		}
		for i := range s.Inputs {
			in := input{Input: &s.Inputs[i], step: s, path: at.Input(i)}
			p.inputs = append(p.inputs, in)
			if in.ValueFromSandbox {
				p.params[in.Name] = append(p.params[in.Name], in)
			}
		}
		for i := range s.Outputs {
			p.outputs = append(p.outputs, output{Output: &s.Outputs[i], path: at.Output(i)})
			if at.Phase == v1alpha1.PhaseCreate {
				p.outputKeys = append(p.outputKeys, v1alpha1.StepOutput{Name: s.Name, Output: s.Outputs[i].Name}.Key())
			}
		}
	}
	p.needed = document.Needed(&p.Spec)
}

// check decodes and checks the document.
func (p *plugin) check() {
	p.read()
	checksOf(func(r *Rule, check pluginCheck) { check(r, p) })
}

// eachStep checks each step of a plugin, eachInput each input, and eachOutput each output.
func eachStep(do func(*Rule, *plugin, step)) []check {
	return []check{pluginCheck(each(func(p *plugin) []step { return p.steps }, do))}
}

func eachInput(do func(*Rule, *plugin, input)) []check {
	return []check{pluginCheck(each(func(p *plugin) []input { return p.inputs }, do))}
}

func eachOutput(do func(*Rule, *plugin, output)) []check {
	return []check{pluginCheck(each(func(p *plugin) []output { return p.outputs }, do))}
}

// graph returns the dependency graph of the plugin's steps.
func (p *plugin) graph() *document.Graph {
	if p.stepGraph == nil {
		p.stepGraph = document.NewGraph(&p.Spec)
	}
	return p.stepGraph
}

// overlay returns the readable part of the plugin's overlay.
func (p *plugin) overlay() *overlay.Overlay {
	if p.podTemplate == nil {
		p.podTemplate, p.overlayProblems = overlay.Parse(p.Spec.Runner.PodTemplateOverlay)
	}
	return p.podTemplate
}
