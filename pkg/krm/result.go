package krm

import (
	"cmp"
	"slices"
)

// Severity says what a result means for the run.
type Severity string

// The severities of the KRM Functions Specification. A run fails if and only if it has an error.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// Result is one finding, in the shape of the KRM Functions Specification.
type Result struct {
	// Message is one line that starts lower case and tells what to do.
	Message string `json:"message"`
	// Severity defaults to error.
	Severity Severity `json:"severity,omitempty"`
	// ResourceRef names the object that the result is about.
	ResourceRef *ResourceRef `json:"resourceRef,omitempty"`
	// Field is the place in the object; it needs a ResourceRef.
	Field *Field `json:"field,omitempty"`
	// File is the file of the object, where the orchestrator's annotations can be trusted.
	File *File `json:"file,omitempty"`
	// Tags carry facts for machines, such as the rule's id.
	Tags map[string]string `json:"tags,omitempty"`

	// Place is where a person finds it; only file mode prints it.
	Place Place `json:"-"`

	order int // of the object in the list
}

// ResourceRef names an object.
type ResourceRef struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	Namespace  string `json:"namespace,omitempty"`
}

// Field names a field of an object. The values are scalars: kpt prints them in one line.
type Field struct {
	Path          Path `json:"path"`
	CurrentValue  any  `json:"currentValue,omitempty"`
	ProposedValue any  `json:"proposedValue,omitempty"`
}

// File names a file of the package and the document in it.
type File struct {
	Path  string `json:"path"`
	Index int    `json:"index,omitempty"`
}

// Place is a position in a file. Line and Column start at 1; 0 means unknown.
type Place struct {
	File         string
	Line, Column int
}

// Results is a list of findings.
type Results []Result

// Failed tells whether one of the results is an error.
func (r Results) Failed() bool {
	return slices.ContainsFunc(r, func(one Result) bool { return one.Severity == Error || one.Severity == "" })
}

// Sort orders the results by file, document, field, severity and message, and drops repetitions. List elements are in
// the order of their numbers.
func (r Results) Sort() Results {
	slices.SortStableFunc(r, compareResults)
	return slices.CompactFunc(r, func(a, b Result) bool { return compareResults(a, b) == 0 })
}

func compareResults(a, b Result) int {
	return cmp.Or(
		cmp.Compare(a.Place.File, b.Place.File),
		cmp.Compare(a.order, b.order),
		cmp.Compare(a.Place.Line, b.Place.Line),
		cmp.Compare(a.Place.Column, b.Place.Column),
		comparePaths(a.path(), b.path()),
		cmp.Compare(a.Severity.rank(), b.Severity.rank()),
		cmp.Compare(a.Message, b.Message),
	)
}

func (r Result) path() Path {
	if r.Field == nil {
		return ""
	}
	return r.Field.Path
}

func (s Severity) rank() int {
	switch s {
	case Info:
		return 2
	case Warning:
		return 1
	default:
		return 0
	}
}
