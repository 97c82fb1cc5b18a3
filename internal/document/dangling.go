package document

import "github.com/resource-plugins/krm-functions/internal/strictyaml"

// Fault is the reason why a reference is dangling.
type Fault string

// The faults of references.
const (
	UnknownStep      Fault = "unknown step"
	UnknownOutput    Fault = "unknown output"
	CreateFromDelete Fault = "create step reads from a delete step"
)

// DanglingReference is an input whose valueFromStep does not refer to an output.
type DanglingReference struct {
	Fault Fault
	// At is the step and Input the index of its input.
	At    StepRef
	Input int
}

// Dangling returns the dangling references, in the order of declaration.
func (g *Graph) Dangling() []DanglingReference { return g.dangling }

// Problems returns the reasons why a plugin's steps can be neither run nor drawn: inputs without a source or with two,
// dangling references, and cycles.
func (g *Graph) Problems() []strictyaml.Problem {
	var problems []strictyaml.Problem
	for _, node := range g.steps {
		for i, input := range node.step.Inputs {
			if input.ValueFromSandbox == (input.ValueFromStep != nil) {
				problems = append(problems, strictyaml.Error(
					node.ref.Input(i), "must have exactly one of valueFromSandbox: true and valueFromStep"))
			}
		}
	}
	for _, d := range g.dangling {
		problems = append(problems, strictyaml.Error(
			d.At.Input(d.Input).Key("valueFromStep"), "must name an output of a step: %s", d.Fault))
	}
	for _, cycle := range g.Cycles() {
		problems = append(problems, strictyaml.Error(
			cycle.Steps[0].Input(cycle.Input), "steps must not wait for each other: %s", cycle))
	}
	return problems
}
