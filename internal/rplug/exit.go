package rplug

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/cli"
)

// Exit codes.
const (
	ExitClean    = cli.ExitClean
	ExitFindings = cli.ExitFindings
	ExitCall     = cli.ExitCall
	ExitPending  = 3 // of rplug status: steps are in progress
)

// ExitCodes describes the codes in help texts.
const ExitCodes = "Exit code: 0 if done, 1 if a document, a reference or a change is refused, 2 if the call is wrong."

// Pending is an error about steps in progress, with ExitPending.
type Pending struct{ error }

// NotReady returns a Pending error.
func NotReady(format string, args ...any) error { return Pending{fmt.Errorf(format, args...)} }

// Refusal is an error about documents, not about the call, with ExitFindings.
type Refusal struct{ error }

// Unwrap returns the error.
func (r Refusal) Unwrap() error { return r.error }

// Refuse returns a Refusal of an error.
func Refuse(err error) error { return Refusal{err} }

// Exit is the exit code of a command that has written its output and its messages itself.
type Exit int

func (Exit) Error() string { return "" }

// Complain prints a message of a command.
func Complain(stderr io.Writer, command *cobra.Command, message string) {
	cli.Complain(stderr, command.CommandPath(), message)
}

// ComplainOfEach prints each line of an error with several lines.
func ComplainOfEach(stderr io.Writer, command *cobra.Command, err error) {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		Complain(stderr, command, line)
	}
}
