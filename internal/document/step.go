package document

import (
	"iter"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// StepRef is the position of a step in a plugin document.
type StepRef struct {
	Phase v1alpha1.Phase
	// Index is the step's position in the phase, from 0.
	Index int
}

// Path is the step's field path, such as `spec.create[0]`.
func (r StepRef) Path() krm.Path { return krm.Path("spec").Key(string(r.Phase)).Index(r.Index) }

// Input is the field path of the step's input i.
func (r StepRef) Input(i int) krm.Path { return r.Path().Key("inputs").Index(i) }

// Output is the field path of the step's output i.
func (r StepRef) Output(i int) krm.Path { return r.Path().Key("outputs").Index(i) }

// Steps iterates over the steps of both phases, in the order of declaration.
func Steps(s *v1alpha1.ResourcePluginSpec) iter.Seq2[StepRef, *v1alpha1.Step] {
	return func(yield func(StepRef, *v1alpha1.Step) bool) {
		for _, phase := range v1alpha1.Phases {
			steps := s.Workflow(phase)
			for i := range steps {
				if !yield(StepRef{Phase: phase, Index: i}, &steps[i]) {
					return
				}
			}
		}
	}
}
