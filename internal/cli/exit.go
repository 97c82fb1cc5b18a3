package cli

import (
	"fmt"
	"io"

	"github.com/resource-plugins/krm-functions/internal/report"
)

// The exit codes of all our programs.
const (
	ExitClean    = 0
	ExitFindings = 1 // there is at least one error finding: a document, a reference or a change is refused
	ExitCall     = 2 // the call itself is wrong, or the program is
)

// Complain prints a message of a command as one line.
func Complain(stderr io.Writer, command, message string) {
	_, _ = fmt.Fprintf(stderr, "%s: %s\n", command, report.Printable(message))
}
