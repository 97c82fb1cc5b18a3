package strictyaml

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm/field"
)

// Severity is the severity of a problem.
type Severity string

// The severities, as in the KRM Functions Specification.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
	SeverityInfo    Severity = "info"
)

// Problem is a problem of a document. Everything that reads documents reports this type.
type Problem struct {
	// Rule is the id of the broken rule: one of the Rule constants, or an id that the reader documents. It is empty if
	// the reader has no rules.
	Rule string
	// Severity is an error, or a warning if the value is used anyway.
	Severity Severity
	// Path is the field, below the path that the reader was given; empty for the whole document.
	Path field.Path
	// Line and Column are the position in the text that was read, counted from 1; 0 means the position of the field.
	Line, Column int
	// Message is the requirement, and how to meet it, on one line.
	Message string
	// Found is the kind of the value at field.Path, set for problems of RuleType.
	Found yaml.Kind
	// Proposed is the only possible value or key, or nil.
	Proposed any
	// Key is the key that Proposed replaces, or empty if it replaces the value.
	Key string
	// ReplacedBy is the current key under which the value of a former or misspelled key was decoded, or empty.
	ReplacedBy string
}

// Error returns a problem of the severity Error.
func Error(at field.Path, format string, args ...any) Problem {
	return Problem{Severity: SeverityError, Path: at, Message: fmt.Sprintf(format, args...)}
}

// Repeated returns the problem of a duplicate key.
func Repeated(at field.Path, key string) Problem {
	problem := Error(at, "must be given once: key %q is repeated", shortened(key))
	problem.Rule = RuleDuplicate
	return problem
}

// IsError reports whether the value cannot be used.
func (p Problem) IsError() bool { return p.Severity == SeverityError }

// String returns the problem in one line: its line, its path and its message.
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
