package krm

import (
	"fmt"
	"strings"
)

// OptionError means that an option of a function must have another value.
type OptionError struct {
	// Option is the option as the field of the function's config, such as `phases[1]`.
	Option Path
	// Message says what must hold, in one line.
	Message string
}

// OptionErrors are the options that cannot be used.
type OptionErrors []OptionError

// Error is a line for each option.
func (e OptionErrors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = string(one.Option) + ": " + one.Message
	}
	return strings.Join(lines, "\n")
}

// Add adds an option that must have another value.
func (e *OptionErrors) Add(option Path, format string, args ...any) {
	*e = append(*e, OptionError{option, fmt.Sprintf(format, args...)})
}
