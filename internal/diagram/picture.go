// Package picture draws plugins: the steps of both phases, what each takes from the sandbox and from other steps, and what
// it leaves. New reads a plugin's graph (package workflow) into one model, and each format draws the same model: Mermaid and
// DOT in their languages, whose programs place the boxes, and SVG, which is placed here.
//
// The way to an SVG: columns are the longest chains (columns.go), rows are put in an order that crosses few lines (order.go)
// and then as near to what they are tied to as there is room (place.go). A line that passes a column bends there, as if it
// had a box, so no line ever runs through a box.
//
// Names are hostile. Every one goes through label, which makes one short line of it, and through its format's escape.
package diagram

import (
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// Picture is one plugin as it is drawn.
type Picture struct {
	// Title is the plugin's name with its version.
	Title string
	// Steps are those of the create phase and then those of the delete phase, each phase in its order of execution.
	Steps []Step
	// Flows are in the order of the steps that read, and of their inputs.
	Flows []Flow
}

// Step is a box.
type Step struct {
	Phase v1alpha1.Phase
	// Layer is how many steps of the phase the longest chain in front of it has: steps of one layer may run at once.
	Layer   int
	Name    string
	Inputs  []Input
	Outputs []Output
}

// Input is what a step takes: a param of the sandbox, or an output of a step.
type Input struct {
	Name  string
	Param bool
}

// Output is what a step leaves. What no step of the plugin reads is for workloads.
type Output struct {
	Name string
	Read bool
	// Kept tells that only steps of the other phase read it.
	Kept bool
}

// Flow is an input that reads an output. All are indices: of Steps, of the producer's Outputs, of the consumer's Inputs.
type Flow struct{ From, Output, To, Input int }

// New reads the picture of a plugin. What makes it impossible is returned in place of a picture.
func New(p *document.Plugin) (*Picture, []strictyaml.Problem) {
	graph := document.NewGraph(&p.Spec)
	if problems := graph.Problems(); len(problems) > 0 {
		return nil, problems
	}
	picture := &Picture{Title: label(p.Name)}
	var refs []document.StepRef
	at := map[document.StepRef]int{}
	for _, phase := range v1alpha1.Phases {
		depth := graph.Depth(phase)
		for _, ref := range graph.Order(phase) {
			at[ref] = len(refs)
			refs = append(refs, ref)
			picture.Steps = append(picture.Steps, newStep(&p.Spec.Workflow(phase)[ref.Index], phase, depth[ref.Index]-1))
		}
	}
	for to, ref := range refs {
		producers := map[v1alpha1.StepOutput]int{}
		for _, producer := range graph.Producers(ref) {
			for _, output := range producer.Outputs {
				name := p.Spec.Workflow(producer.Step.Phase)[producer.Step.Index].Name
				producers[v1alpha1.StepOutput{Name: name, Output: output}] = at[producer.Step]
			}
		}
		for i, input := range p.Spec.Workflow(ref.Phase)[ref.Index].Inputs {
			if input.ValueFromStep != nil {
				from := producers[*input.ValueFromStep]
				made := p.Spec.Workflow(refs[from].Phase)[refs[from].Index].Outputs
				picture.connect(Flow{From: from, To: to, Input: i, Output: slices.IndexFunc(made, func(o v1alpha1.Output) bool {
					return o.Name == input.ValueFromStep.Output
				})})
			}
		}
	}
	return picture, nil
}

func newStep(of *v1alpha1.Step, phase v1alpha1.Phase, layer int) Step {
	step := Step{Phase: phase, Layer: layer, Name: label(of.Name)}
	for _, input := range of.Inputs {
		step.Inputs = append(step.Inputs, Input{Name: label(input.Name), Param: input.ValueFromStep == nil})
	}
	for _, output := range of.Outputs {
		step.Outputs = append(step.Outputs, Output{Name: label(output.Name)})
	}
	return step
}

func (p *Picture) connect(flow Flow) {
	p.Flows = append(p.Flows, flow)
	output := &p.Steps[flow.From].Outputs[flow.Output]
	output.Kept = p.across(flow) && (output.Kept || !output.Read)
	output.Read = true
}

// across tells whether a delete step reads what a create step left.
func (p *Picture) across(flow Flow) bool { return p.Steps[flow.From].Phase != p.Steps[flow.To].Phase }
