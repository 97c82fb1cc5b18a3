// Package workflow is the graph of a plugin's steps: which step reads an output of which. A step that reads another's
// output runs after it, all others may run at once (ResourcePlugin spec, phase workflow). A delete step may read what
// create steps left behind; a create step must not read what delete steps will.
//
// A Graph is built in one pass over the inputs and answers everything in time linear in the document, but for the order,
// which keeps declaration order among ready steps and pays a logarithm for it.
package workflow

import (
	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
)

// Graph is the steps of both phases of a plugin and who reads from whom.
type Graph struct {
	steps   []node
	create  int // how many of the steps, the first ones, are of the create phase
	dangles []Dangle
}

// node is a step and the steps of its own phase that it waits for.
type node struct {
	ref       document.StepRef
	step      *v1alpha1.Step
	producers []edge
	consumers []int // of the same phase; a step that reads twice is listed twice
}

// edge is an input that reads an output of a step.
type edge struct {
	producer int
	input    int // of the consumer
}

// New builds the graph of a plugin. References that lead nowhere are left out of it: see Dangling.
func New(spec *v1alpha1.ResourcePluginSpec) *Graph {
	g := &Graph{create: len(spec.Create), steps: make([]node, 0, len(spec.Create)+len(spec.Delete))}
	for ref, step := range document.Steps(spec) {
		g.steps = append(g.steps, node{ref: ref, step: step})
	}
	index := newIndex(g.steps)
	for i := range g.steps {
		for n := range g.steps[i].step.Inputs {
			g.connect(index, i, n)
		}
	}
	return g
}

func (g *Graph) connect(index *index, consumer, input int) {
	from := g.steps[consumer].step.Inputs[input].ValueFromStep
	if from == nil {
		return
	}
	producer, fault := index.find(from)
	if fault == "" && consumer < g.create && producer >= g.create {
		fault = CreateFromDelete
	}
	if fault != "" {
		g.dangles = append(g.dangles, Dangle{Fault: fault, At: g.steps[consumer].ref, Input: input})
		return
	}
	to := &g.steps[consumer]
	to.producers = append(to.producers, edge{producer: producer, input: input})
	if g.samePhase(consumer, producer) {
		g.steps[producer].consumers = append(g.steps[producer].consumers, consumer)
	}
}

func (g *Graph) samePhase(a, b int) bool { return (a < g.create) == (b < g.create) }

// phase returns the range of the steps of a phase.
func (g *Graph) phase(phase v1alpha1.Phase) (from, to int) {
	if phase == v1alpha1.PhaseDelete {
		return g.create, len(g.steps)
	}
	return 0, g.create
}

func (g *Graph) position(ref document.StepRef) int {
	from, _ := g.phase(ref.Phase)
	return from + ref.Index
}

// index finds steps by name. Of steps of one name, which is against the rules, the first with the output is meant.
type index struct {
	steps   map[string]int
	outputs map[v1alpha1.StepOutput]int
}

func newIndex(steps []node) *index {
	x := &index{steps: make(map[string]int, len(steps)), outputs: make(map[v1alpha1.StepOutput]int, len(steps))}
	for i, node := range steps {
		if _, taken := x.steps[node.step.Name]; !taken {
			x.steps[node.step.Name] = i
		}
		for _, output := range node.step.Outputs {
			key := v1alpha1.StepOutput{Name: node.step.Name, Output: output.Name}
			if _, taken := x.outputs[key]; !taken {
				x.outputs[key] = i
			}
		}
	}
	return x
}

func (x *index) find(from *v1alpha1.StepOutput) (int, Fault) {
	if producer, ok := x.outputs[*from]; ok {
		return producer, ""
	}
	if _, ok := x.steps[from.Name]; ok {
		return 0, UnknownOutput
	}
	return 0, UnknownStep
}
