// Package diagram draws plugins: the steps of both phases, the inputs of each from the sandbox and from other steps, and
// its outputs. New reads a plugin's graph (package document) into one model, and each format draws the same model: Mermaid
// and DOT in their languages, whose programs do the layout, and SVG, whose layout is done here.
//
// The layout of an SVG: each phase is laid out separately, columns are the longest chains (columns.go), the nodes of a
// column are sorted to cross few lines (order.go) and then aligned with their linked nodes (align.go). A line that
// passes a column has a node there, a bend, so no line runs through a box. Outputs of create steps that a delete step
// reads are named in its box: lines between the phases would cross all others.
//
// Names are untrusted. Each is shortened to one line by label, and escaped for its format.
package diagram

import (
	"fmt"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// Picture is a plugin to draw.
type Picture struct {
	// Title is the plugin's name with its version.
	Title string
	// Steps are those of the create phase followed by those of the delete phase, each in order of execution.
	Steps []Step
	// Flows are in the order of the steps that read, and of their inputs.
	Flows []Flow
}

// Step is a box.
type Step struct {
	Phase v1alpha1.Phase
	// Layer is the length of the longest chain before it in the phase: steps of one layer may run at once.
	Layer   int
	Name    string
	Inputs  []Input
	Outputs []Output
	// Mark is the state of the step, if it is known.
	Mark Mark
}

// Mark is the state of a step, in a word. The word is drawn with the step, in the colour of the mark.
type Mark string

// The marks with a colour. A step with another mark looks like one without.
const (
	Blocked    Mark = "Blocked"
	Failed     Mark = "Failed"
	Stale      Mark = "Stale"
	Missing    Mark = "Missing"
	Unknown    Mark = "Unknown"
	InProgress Mark = "InProgress"
	Ready      Mark = "Ready"
)

// Waits is the mark of a step that is in progress and waits for other steps.
const Waits Mark = "waits"

// The marks of steps that run when a change is applied.
const (
	Runs      Mark = "runs"
	RunsAgain Mark = "runs again"
)

// Marks lists the marks for the state of a step.
var Marks = []Mark{Blocked, Failed, Stale, Missing, Unknown, InProgress, Ready}

// class is the style sheet class of the mark, or "" if it has no colour.
func (m Mark) class() string {
	if colors[m] == "" {
		return ""
	}
	return strings.ToLower(strings.ReplaceAll(string(m), " ", ""))
}

// Input is an input of a step: a param of the sandbox, or an output of a step.
type Input struct {
	Name  string
	Param bool
	// Left is the output of the other phase that it reads, as STEP.OUTPUT, or empty.
	Left string
}

// Output is an output of a step. One that no step of the plugin reads is for workloads.
type Output struct {
	Name string
	Read bool
	// Kept means that only steps of the other phase read it.
	Kept bool
}

// Flow is an input that reads an output. All are indices: of Steps, of the producer's Outputs, of the consumer's Inputs.
type Flow struct{ From, Output, To, Input int }

// New returns the picture of a plugin, or the problems of its graph.
func New(p *document.Plugin) (*Picture, []strictyaml.Problem) { return NewMarked(p, nil) }

// NewMarked returns the picture of a plugin with the marks of its steps, by their names.
func NewMarked(p *document.Plugin, marks map[string]Mark) (*Picture, []strictyaml.Problem) {
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
			of := &p.Spec.Workflow(phase)[ref.Index]
			step := newStep(of, phase, depth[ref.Index]-1)
			step.Mark = marks[of.Name]
			picture.Steps = append(picture.Steps, step)
		}
	}
	made := map[v1alpha1.StepOutput]Flow{} // the producer of each output
	for ref, step := range document.Steps(&p.Spec) {
		for i, output := range step.Outputs {
			name := v1alpha1.StepOutput{Name: step.Name, Output: output.Name}
			if _, taken := made[name]; !taken {
				made[name] = Flow{From: at[ref], Output: i}
			}
		}
	}
	for to, ref := range refs {
		for i, input := range p.Spec.Workflow(ref.Phase)[ref.Index].Inputs {
			if input.ValueFromStep != nil {
				flow := made[*input.ValueFromStep]
				flow.To, flow.Input = to, i
				picture.connect(flow)
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
	if p.across(flow) {
		p.Steps[flow.To].Inputs[flow.Input].Left = p.Steps[flow.From].Name + "." + output.Name
	}
	output.Kept = p.across(flow) && (output.Kept || !output.Read)
	output.Read = true
}

// across reports whether a delete step reads an output of a create step.
func (p *Picture) across(flow Flow) bool { return p.Steps[flow.From].Phase != p.Steps[flow.To].Phase }

// Format is a language of pictures.
type Format string

// The formats.
const (
	Mermaid Format = "mermaid" // a flowchart for Markdown that GitHub and others show: https://mermaid.js.org
	DOT     Format = "dot"     // a digraph for Graphviz: https://graphviz.org/doc/info/lang.html
	SVG     Format = "svg"     // a self-contained image
)

// Formats lists the formats.
var Formats = []Format{Mermaid, DOT, SVG}

// Draw draws the pictures into one document of the format. The error means that they are too large for it.
func Draw(format Format, pictures []*Picture) ([]byte, error) {
	switch format {
	case Mermaid:
		return drawGraph(mermaid, pictures, quoteMermaid)
	case DOT:
		return drawGraph(dot, pictures, quoteDOT)
	case SVG:
		return drawSVG(pictures)
	}
	return nil, fmt.Errorf("must be one of %q, not %q", Formats, format)
}

// layers returns the indices of a phase's steps by layer.
func (p *Picture) layers(phase v1alpha1.Phase) (layers [][]int) {
	for i, step := range p.Steps {
		if step.Phase != phase {
			continue
		}
		for len(layers) <= step.Layer {
			layers = append(layers, nil)
		}
		layers[step.Layer] = append(layers[step.Layer], i)
	}
	return layers
}
