package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/resource-plugins/krm-functions/internal/localrun"
	"github.com/resource-plugins/krm-functions/internal/report"
)

// runProgress shows the steps of a run: a line for each change.
type runProgress struct {
	out     io.Writer
	started map[[2]string]time.Time
}

func newRunProgress(out io.Writer) *runProgress {
	return &runProgress{out: out, started: map[[2]string]time.Time{}}
}

func (p *runProgress) observe(e localrun.Event) {
	if e.State == localrun.Waiting {
		return
	}
	line := fmt.Sprintf("%-8s %s/%s", e.State, e.Resource, e.Step)
	if e.Message != "" {
		line += ": " + e.Message
	}
	_, _ = fmt.Fprintln(p.out, report.Printable(line))
}

func (*runProgress) end() {}

// maxLogLines is how much of the log of a failed step is printed, from its end.
const maxLogLines = 50

// printLogs prints the logs of the steps that failed, or of all.
func (f *runFlags) printLogs(out io.Writer, result *localrun.Report) {
	for _, step := range result.Steps {
		if step.Log == "" || step.State != localrun.Failed && !f.logs {
			continue
		}
		content, err := os.ReadFile(step.Log)
		if err != nil || len(content) == 0 {
			continue
		}
		lines := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
		fmt.Fprintf(out, "--- log of %s/%s: %s\n", report.Printable(step.Resource), report.Printable(step.Step), step.Log)
		if cut := len(lines) - maxLogLines; cut > 0 && !f.logs {
			fmt.Fprintf(out, "[%d lines above]\n", cut)
			lines = lines[cut:]
		}
		for _, line := range lines {
			fmt.Fprintln(out, report.Printable(line))
		}
	}
}

// runOutput is an output of a step in JSON.
type runOutput struct {
	Name  string  `json:"name"`
	Bytes int     `json:"bytes"`
	Value *string `json:"value,omitempty"`
}

// runStep is a step in JSON.
type runStep struct {
	localrun.StepReport
	Outputs []runOutput `json:"outputs,omitempty"`
}

// print prints the steps with the names and sizes of their outputs.
func (f *runFlags) print(out io.Writer, result *localrun.Report) error {
	var steps []runStep
	for _, step := range result.Steps {
		made := runStep{StepReport: step}
		for _, name := range slices.Sorted(maps.Keys(step.Outputs)) {
			o := runOutput{Name: name, Bytes: len(step.Outputs[name])}
			if f.showOutputs {
				value := string(step.Outputs[name])
				o.Value = &value
			}
			made.Outputs = append(made.Outputs, o)
		}
		steps = append(steps, made)
	}
	if f.output == jsonOutput {
		return printJSON(out, map[string][]runStep{"steps": steps})
	}
	for _, step := range steps {
		for _, o := range step.Outputs {
			value := fmt.Sprintf("%d bytes", o.Bytes)
			if o.Value != nil {
				value = report.Printable(*o.Value)
			}
			fmt.Fprintf(out, "%s/%s.%s  %s\n", report.Printable(step.Resource), step.Step, o.Name, value)
		}
	}
	return nil
}
