package workflow

import "github.com/resource-plugins/krm-functions/internal/strictyaml"

// Problems returns the inputs that come from nowhere or from two places, the references that lead nowhere, and the cycles:
// why a plugin's steps can be neither run nor drawn.
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
	for _, dangle := range g.dangles {
		problems = append(problems, strictyaml.Error(
			dangle.At.Input(dangle.Input).Key("valueFromStep"), "must name an output of a step: %s", dangle.Fault))
	}
	for _, cycle := range g.Cycles() {
		problems = append(problems, strictyaml.Error(
			cycle.Steps[0].Input(cycle.Input), "steps must not wait for each other: %s", cycle))
	}
	return problems
}
