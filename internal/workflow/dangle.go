package workflow

import "github.com/resource-plugins/krm-functions/internal/document"

// Fault is a way for a reference to lead nowhere.
type Fault string

// The faults of references.
const (
	UnknownStep      Fault = "unknown step"
	UnknownOutput    Fault = "unknown output"
	CreateFromDelete Fault = "create step reads from a delete step"
)

// Dangle is an input whose valueFromStep leads nowhere.
type Dangle struct {
	Fault Fault
	// At is the step and Input the index of its input.
	At    document.StepRef
	Input int
}

// Dangling returns the references that lead nowhere, in the order of declaration.
func (g *Graph) Dangling() []Dangle { return g.dangles }
