package document

import "github.com/resource-plugins/krm-functions/api/v1alpha1"

// Graph is the steps of both phases of a plugin, and which step reads an output of which. A step that reads an output
// of another step of its phase runs after it; all others may run at the same time
// (https://www.signadot.com/docs/reference/resource-plugins/spec, Phase workflow). A delete step may read the outputs
// of create steps, but not the reverse.
//
// All methods take time linear in the size of the document, except Order and Depth, which keep the ready steps sorted.
type Graph struct {
	steps    []node
	create   int // the number of create steps, which are first
	dangling []DanglingReference
}

// node is a step, with the steps in its phase that it waits for.
type node struct {
	ref       StepRef
	step      *v1alpha1.Step
	producers []edge
	consumers []int // of the same phase; a step that reads twice is listed twice
}

// edge is an input that reads an output of a step.
type edge struct {
	producer int
	input    int // of the consumer
}

// NewGraph builds the graph of a plugin. Dangling references are not part of it: see Dangling.
func NewGraph(spec *v1alpha1.ResourcePluginSpec) *Graph {
	g := &Graph{create: len(spec.Create), steps: make([]node, 0, len(spec.Create)+len(spec.Delete))}
	for ref, step := range Steps(spec) {
		g.steps = append(g.steps, node{ref: ref, step: step})
	}
	index := newStepIndex(g.steps)
	for i := range g.steps {
		for n := range g.steps[i].step.Inputs {
			g.connect(index, i, n)
		}
	}
	return g
}

func (g *Graph) connect(index *stepIndex, consumer, input int) {
	from := g.steps[consumer].step.Inputs[input].ValueFromStep
	if from == nil {
		return
	}
	producer, fault := index.find(from)
	if fault == "" && consumer < g.create && producer >= g.create {
		fault = CreateFromDelete
	}
	if fault != "" {
		g.dangling = append(g.dangling, DanglingReference{Fault: fault, At: g.steps[consumer].ref, Input: input})
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

func (g *Graph) position(ref StepRef) int {
	from, _ := g.phase(ref.Phase)
	return from + ref.Index
}

// stepIndex finds steps by name. Of several steps with one name, which is an error, the first one with the output
// counts.
type stepIndex struct {
	steps   map[string]int
	outputs map[v1alpha1.StepOutput]int
}

func newStepIndex(steps []node) *stepIndex {
	x := &stepIndex{steps: make(map[string]int, len(steps)), outputs: make(map[v1alpha1.StepOutput]int, len(steps))}
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

func (x *stepIndex) find(from *v1alpha1.StepOutput) (int, Fault) {
	if producer, ok := x.outputs[*from]; ok {
		return producer, ""
	}
	if _, ok := x.steps[from.Name]; ok {
		return 0, UnknownOutput
	}
	return 0, UnknownStep
}
