package local

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
	"github.com/resource-plugins/krm-functions/internal/report"
)

// maxLogLines is the number of lines printed from the end of a failed step's log.
const maxLogLines = 50

// WriteLogs prints the logs of the failed steps, or of all steps.
func WriteLogs(out io.Writer, result *localrun.Report, all bool) {
	for _, step := range result.Steps {
		if step.Log == "" || step.State != localrun.Failed && !all {
			continue
		}
		content, err := os.ReadFile(step.Log)
		if err != nil || len(content) == 0 {
			continue
		}
		lines := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
		fmt.Fprintf(out, "--- log of %s/%s: %s\n", report.Printable(step.Resource), report.Printable(step.Step), step.Log)
		if cut := len(lines) - maxLogLines; cut > 0 && !all {
			fmt.Fprintf(out, "[%d lines above]\n", cut)
			lines = lines[cut:]
		}
		for _, line := range lines {
			fmt.Fprintln(out, report.Printable(line))
		}
	}
}

// WriteKept prints where the remains of failed steps are.
func WriteKept(out io.Writer, result *localrun.Report) {
	for _, step := range result.Steps {
		if step.Kept != "" {
			fmt.Fprintf(out, "kept     %s/%s: %s\n", report.Printable(step.Resource), report.Printable(step.Step), step.Kept)
		}
	}
}

// Output is an output of a step in JSON.
type Output struct {
	Name  string  `json:"name"`
	Bytes int     `json:"bytes"`
	Value *string `json:"value,omitempty"`
}

// Step is a step with its outputs in JSON.
type Step struct {
	localrun.StepReport
	Outputs []Output `json:"outputs,omitempty"`
}

// Run is the JSON of a run.
type Run struct {
	Steps []Step `json:"steps"`
}

// Steps returns the steps of a run with the names and sizes of their outputs, and optionally the values.
func Steps(result *localrun.Report, showValues bool) []Step {
	steps := make([]Step, 0, len(result.Steps))
	for _, one := range result.Steps {
		step := Step{StepReport: one}
		for _, name := range slices.Sorted(maps.Keys(one.Outputs)) {
			o := Output{Name: name, Bytes: len(one.Outputs[name])}
			if showValues {
				value := string(one.Outputs[name])
				o.Value = &value
			}
			step.Outputs = append(step.Outputs, o)
		}
		steps = append(steps, step)
	}
	return steps
}

// WriteOutputs prints a line for each output.
func WriteOutputs(out io.Writer, steps []Step) {
	for _, step := range steps {
		for _, o := range step.Outputs {
			value := fmt.Sprintf("%d bytes", o.Bytes)
			if o.Value != nil {
				value = report.Printable(*o.Value)
			}
			fmt.Fprintf(out, "%s/%s.%s  %s\n", report.Printable(step.Resource), step.Step, o.Name, value)
		}
	}
}
