package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/pflag"

	"github.com/resource-plugins/krm-functions/internal/atomicfile"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// run is one run of a function.
type run struct {
	Function
	reading
	comparing
	fromProject
	explaining
	documenting
	describing
	watching
	common
	config   Config
	modes    []Mode
	flags    *pflag.FlagSet
	paths    []string
	project  *Project                 // nil if none is in force
	catalogs []string                 // paths of catalogs, to be read after the others
	values   map[string]VariableValue // of variables
	places   map[krm.Path]string      // of the values from the project file, by their path in the config

	stdin  io.Reader
	stdout output
	stderr io.Writer

	suppressed []validate.Suppressed
	isAgain    bool // see watch
}

// newRun returns a run with the defaults of all flags.
func newRun(f Function) *run {
	r := &run{Function: f, config: f.Config(), modes: []Mode{&Printing{}}}
	if f.Modes != nil {
		r.modes = f.Modes()
	}
	return r
}

// misconfigured is an error about flags whose value the function refuses. The results are its other findings.
type misconfigured struct {
	flagErrors
	results krm.Results
}

// fail reports why the call is wrong, one line for each of several errors.
func (r *run) fail(err error) int {
	all := []error{err}
	if joined, several := err.(interface{ Unwrap() []error }); several {
		all = joined.Unwrap()
	}
	for _, one := range all {
		Complain(r.stderr, r.Command, one.Error())
	}
	if refused := (misconfigured{}); errors.As(err, &refused) {
		r.end(refused.results, !r.isLinter(), "")
	}
	return ExitCall
}

func (r *run) print(text string) int {
	if _, err := io.WriteString(r.stdout, text); err != nil {
		return r.fail(err)
	}
	return ExitClean
}

// output is stdout. It is written once a run, when nothing else can go wrong.
type output struct {
	io.Writer
	write func(work func() error) error
}

func newOutput(ctx context.Context, stdout io.Writer) output {
	write := func(work func() error) error { return work() } // the reader of a pipe may take any time
	if isRegular(stdout) {
		write = func(work func() error) error { return atomicfile.Uninterrupted(ctx, work) }
	}
	return output{stdout, write}
}

func (o output) Write(text []byte) (n int, err error) {
	return n, o.print(func() (err error) { n, err = o.Writer.Write(text); return err })
}

// writeAll writes a text. A signal does not end it halfway if stdout is a file.
func (o output) writeAll(text io.WriterTo) error {
	return o.print(func() error { _, err := text.WriteTo(o.Writer); return err })
}

func (o output) print(work func() error) error {
	if err := o.write(work); err != nil {
		return fmt.Errorf("stdout must be writable: %w", err)
	}
	return nil
}

// suppress returns the results that no comment suppresses.
func (r *run) suppress(list *krm.ResourceList, results krm.Results) krm.Results {
	if config, ok := r.config.(Suppressor); ok {
		results, r.suppressed = config.Suppress(list, results)
	}
	return results
}

// end prints the summary, and if asked for the findings, on stderr. It returns the exit code.
func (r *run) end(results krm.Results, withFindings bool, summary string) int {
	var lines bytes.Buffer
	for _, result := range results {
		if withFindings && (result.Severity != krm.Info || r.Verbose) {
			lines.WriteString(report.Line(result, report.Style{}) + "\n")
		}
	}
	if summary := r.withCounts(summary, results); summary != "" && (r.Verbose || IsTerminal(r.stderr)) {
		lines.WriteString(r.Command + ": " + report.Printable(summary) + "\n")
	}
	_, _ = lines.WriteTo(r.stderr)
	if results.Failed() {
		return ExitFindings
	}
	return ExitClean
}

// withCounts adds the numbers of errors, warnings and suppressed findings to a summary. For a function that only reports
// findings and has no results, it adds "no findings".
func (r *run) withCounts(summary string, results krm.Results) string {
	numbers := map[krm.Severity]int{}
	for _, result := range results {
		numbers[cmp.Or(result.Severity, krm.Error)]++
	}
	var parts, counts []string
	if summary != "" {
		parts = []string{summary}
	}
	for _, severity := range []krm.Severity{krm.Error, krm.Warning} {
		if n := numbers[severity]; n > 0 {
			counts = append(counts, report.Count(n, string(severity)))
		}
	}
	if r.isLinter() && len(results) == 0 && summary != "" {
		counts = []string{"no findings"}
	}
	if n := len(r.suppressed); n > 0 {
		counts = append(counts, fmt.Sprintf("%d suppressed", n))
	}
	if len(counts) > 0 {
		parts = append(parts, strings.Join(counts, ", "))
	}
	return strings.Join(parts, ": ")
}

// recover turns a panic into one line and exit code 2. Nothing is on stdout then: it is written last and at once.
func (r *run) recover(code *int) {
	if cause := recover(); cause != nil {
		*code = r.fail(fmt.Errorf("internal error at %s: %.200v; please report it with the input at %s/issues",
			panicLine(), cause, report.Home))
	}
}

// panicLine returns the function and the line that panicked.
func panicLine() string {
	var callers [64]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers[:])])
	for panicking := false; ; {
		frame, more := frames.Next()
		if panicking && !strings.HasPrefix(frame.Function, "runtime.") {
			return fmt.Sprintf("%s:%d", frame.Function, frame.Line)
		}
		panicking = panicking || frame.Function == "runtime.gopanic"
		if !more {
			return "an unknown line"
		}
	}
}

// isRegular reports whether a stream is a file on a disk.
func isRegular(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}
