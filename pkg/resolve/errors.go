package resolve

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

const namePath krm.Path = "metadata.name"

// ReferenceError explains why a reference resolves to no version.
type ReferenceError struct {
	Message string
	// Proposed is the only possible correction of the reference, or empty.
	Proposed string
	// Missing is the full name of a version that a pin or a lock names and that does not exist, or empty.
	Missing string
	// Locked means that a lock names Missing.
	Locked bool
}

func (e *ReferenceError) Error() string { return e.Message }

func referenceError(format string, args ...any) *ReferenceError {
	return &ReferenceError{Message: fmt.Sprintf(format, args...)}
}

// DocumentError is a problem of a document that is needed.
type DocumentError struct {
	Item    *krm.Item
	Path    krm.Path
	Message string
	// Changed means that the document differs from the one published under its version.
	Changed bool
}

func (e *DocumentError) Error() string {
	return fmt.Sprintf("%s %q: %s: %s", e.Item.Kind(), e.Item.Name(), e.Path, e.Message)
}

// Result returns the error as a finding about the document.
func (e *DocumentError) Result() krm.Result { return krm.At(e.Item, e.Path, krm.Error, e.Message) }

// resultsOf returns the problems of a document as findings about it. The proposal for an unknown key is a key.
func resultsOf(item *krm.Item, problems []strictyaml.Problem) []krm.Result {
	results := make([]krm.Result, 0, len(problems))
	for _, problem := range problems {
		at := krm.At
		if problem.Rule == strictyaml.RuleUnknown {
			at = krm.AtKey
		}
		result := at(item, problem.Path, krm.Severity(problem.Severity), problem.Message)
		if problem.Proposed != nil {
			result.Field.ProposedValue = problem.Proposed
		}
		results = append(results, result)
	}
	return results
}
