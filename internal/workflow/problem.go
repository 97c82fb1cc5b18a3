package workflow

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Problem is why a plugin's steps can be neither run nor drawn.
type Problem struct {
	Path    krm.Path
	Message string
}

// Problems returns the inputs that come from nowhere or from two places, the references that lead nowhere, and the cycles.
func (g *Graph) Problems() []Problem {
	var problems []Problem
	for _, node := range g.steps {
		for i, input := range node.step.Inputs {
			if input.ValueFromSandbox == (input.ValueFromStep != nil) {
				problems = append(problems, Problem{
					node.ref.Input(i), "must have exactly one of valueFromSandbox: true and valueFromStep",
				})
			}
		}
	}
	for _, dangle := range g.dangles {
		problems = append(problems, Problem{
			dangle.At.Input(dangle.Input).Key("valueFromStep"), fmt.Sprintf("must name an output of a step: %s", dangle.Fault),
		})
	}
	for _, cycle := range g.Cycles() {
		problems = append(problems, Problem{
			cycle.Steps[0].Input(cycle.Input), fmt.Sprintf("steps must not wait for each other: %s", cycle),
		})
	}
	return problems
}
