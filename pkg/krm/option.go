package krm

import (
	"fmt"
	"strings"
)

// OptionError means that an option of a function has an invalid value.
type OptionError struct {
	// Option is the path of the option in the function's config, such as `phases[1]`.
	Option Path
	// Message is the condition that the value must meet, in one line.
	Message string
}

// OptionErrors are the invalid options.
type OptionErrors []OptionError

// Error returns one line for each option.
func (e OptionErrors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = string(one.Option) + ": " + one.Message
	}
	return strings.Join(lines, "\n")
}

// Add adds an invalid option.
func (e *OptionErrors) Add(option Path, format string, args ...any) {
	*e = append(*e, OptionError{option, fmt.Sprintf(format, args...)})
}
