package strictyaml

import (
	"fmt"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Problem is one thing that is wrong with a document: everything that reads documents reports it so, and what knows the
// item makes a result of it.
type Problem struct {
	// Rule is the id of the broken rule: one of the Rule constants, or of those that the reader documents. It is empty
	// where the reader has no rules.
	Rule string
	// Severity is an error, or a warning where the value is used all the same.
	Severity krm.Severity
	// Path is the field, below the path that the reader was given; empty for the whole.
	Path krm.Path
	// Line and Column are the position in the text that was read, counted from 1. 0 means that of the field.
	Line, Column int
	// Message says what must hold and what to do, in one line.
	Message string
	// Proposed is the value or the key that is certain to be meant, else nil.
	Proposed any
	// Key is the key that Proposed replaces, empty where it replaces the value.
	Key string
	// ReplacedBy is the current key under which the value of a former key was decoded, empty where it was not.
	ReplacedBy string
}

// Error makes a problem of an error's severity.
func Error(at krm.Path, format string, args ...any) Problem {
	return Problem{Severity: krm.Error, Path: at, Message: fmt.Sprintf(format, args...)}
}

// String is the problem as one line: its position, its field and its message.
func (p Problem) String() string {
	var out strings.Builder
	if p.Line > 0 {
		fmt.Fprintf(&out, "line %d: ", p.Line)
	}
	if p.Path != "" {
		fmt.Fprintf(&out, "%s: ", p.Path)
	}
	return out.String() + p.Message
}
