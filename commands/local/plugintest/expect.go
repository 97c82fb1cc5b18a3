package plugintest

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/commands/local/localrun"
)

// outputs are the published outputs of the steps of a phase, by STEP.OUTPUT.
type outputs map[string][]byte

// outcome is the result of a phase.
type outcome struct {
	steps []localrun.StepReport
	// err is the reason why the phase could not run or complete.
	err error
	// running are the steps that were still running at the end.
	running []string
}

func (o *outcome) failed() bool {
	return o.err != nil || slices.ContainsFunc(o.steps, func(s localrun.StepReport) bool { return s.State == localrun.Failed })
}

// outputs returns the published outputs. A step that did not end has no outputs, even if it ran.
func (o *outcome) outputs() outputs {
	all := outputs{}
	for _, step := range o.steps {
		if step.State != localrun.Done && step.State != localrun.Skipped {
			continue
		}
		for name, value := range step.Outputs {
			all[key(step.Step, name)] = value
		}
	}
	return all
}

func key(step, output string) string { return v1alpha1.StepOutput{Name: step, Output: output}.Key() }

// failures returns a message for each step that failed by itself, and for the reason why the phase ended early.
func (o *outcome) failures() []string {
	switch {
	case o.err != nil && len(o.running) > 0:
		return []string{fmt.Sprintf("%v: still running: %s", o.err, strings.Join(o.running, ", "))}
	case o.err != nil:
		return []string{o.err.Error()}
	}
	var messages, waited []string
	for _, step := range o.steps {
		message := fmt.Sprintf("step %q failed: %s", step.Step, reason(step))
		if step.Kept != "" {
			message += "; kept: " + step.Kept
		}
		switch {
		case step.State != localrun.Failed:
		case step.Log == "":
			waited = append(waited, message)
		default:
			messages = append(messages, message)
		}
	}
	if len(messages) > 0 {
		return messages // other steps waited for these
	}
	return waited
}

// reason returns the reason why a step failed, without its name.
func reason(step localrun.StepReport) string {
	return strings.TrimPrefix(step.Message, fmt.Sprintf("step %q: ", step.Step))
}

// remaining returns a message for each step that has succeeded, though processes that its script had started were running.
func (o *outcome) remaining() (messages []string) {
	for _, step := range o.steps {
		if step.Remaining && step.State == localrun.Done {
			messages = append(messages, fmt.Sprintf("step %q: processes that the script has started still ran when it ended, and "+
				"are killed with it: wait for them", step.Step))
		}
	}
	return messages
}

// unwatched returns the steps of which the engine cannot find out whether processes were still running behind them.
func (o *outcome) unwatched() (steps []string) {
	for _, step := range o.steps {
		if step.Unwatched && step.State == localrun.Done {
			steps = append(steps, fmt.Sprintf("%q", step.Step))
		}
	}
	return steps
}

// logs returns the last lines of the logs of the failed steps.
func (o *outcome) logs() []Log {
	var logs []Log
	for _, step := range o.steps {
		if step.State == localrun.Failed && step.Log != "" {
			if text := tail(step.Log); text != "" {
				logs = append(logs, Log{fmt.Sprintf("step %q", step.Step), text})
			}
		}
	}
	return logs
}

const (
	tailBytes = 4 << 10 // of a log
	tailLines = 20
)

// tail returns the last lines of a file.
func tail(file string) string {
	opened, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer func() { _ = opened.Close() }()
	if info, err := opened.Stat(); err == nil && info.Size() > tailBytes {
		_, _ = opened.Seek(-tailBytes, io.SeekEnd)
	}
	text, _ := io.ReadAll(io.LimitReader(opened, tailBytes))
	return lastLines(string(text))
}

// lastLines returns the last lines of a text.
func lastLines(text string) string {
	text = strings.TrimRight(text[max(0, len(text)-tailBytes):], "\n")
	if text == "" {
		return ""
	}
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-tailLines):], "\n") + "\n"
}

// maxSearched is the part of a log, in bytes, that is searched for an expected message.
const maxSearched = 1 << 20

// compare returns a message for each difference between the result of a phase and the expectation of a case.
func compare(expected *v1alpha1.PhaseExpectation, got *outcome) []string {
	var messages []string
	switch {
	case expected.Fails != nil:
		messages = judgeFailure(expected.Fails, got)
	case got.failed():
		return got.failures()
	}
	published := got.outputs()
	for i := range expected.Outputs {
		if message := compareOutput(&expected.Outputs[i], published); message != "" {
			messages = append(messages, message)
		}
	}
	return messages
}

func judgeFailure(expected *v1alpha1.ExpectedFailure, got *outcome) []string {
	if got.err != nil {
		return got.failures()
	}
	i := slices.IndexFunc(got.steps, func(s localrun.StepReport) bool { return s.Step == expected.Step })
	if i < 0 {
		return []string{fmt.Sprintf("step %q must fail, but it did not run", expected.Step)}
	}
	step := got.steps[i]
	if step.State != localrun.Failed {
		return append([]string{fmt.Sprintf("step %q must fail, but it is %s", expected.Step, step.State)}, got.failures()...)
	}
	var messages []string
	if expected.ExitCode != 0 && step.ExitCode != expected.ExitCode {
		messages = append(messages, fmt.Sprintf("step %q must fail with exit code %d, not %d: %s",
			expected.Step, expected.ExitCode, step.ExitCode, reason(step)))
	}
	if expected.Message == "" {
		return messages
	}
	pattern := regexp.MustCompile(expected.Message) // package validate has compiled it
	if !pattern.MatchString(step.Message) && !pattern.Match(head(step.Log)) {
		messages = append(messages, fmt.Sprintf("step %q must fail with a message that matches %q, not with %s",
			expected.Step, expected.Message, quoted([]byte(step.Message))))
	}
	return messages
}

// head returns the beginning of a file.
func head(file string) []byte {
	opened, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer func() { _ = opened.Close() }()
	text, _ := io.ReadAll(io.LimitReader(opened, maxSearched))
	return text
}

// compareOutput returns the difference between an output and its expectation, or "".
func compareOutput(expected *v1alpha1.OutputExpectation, published outputs) string {
	name := key(expected.Step, expected.Output)
	value, found := published[name]
	switch {
	case expected.Absent && found:
		return fmt.Sprintf("output %q must be absent, not %s", name, quoted(value))
	case expected.Absent:
	case !found:
		return fmt.Sprintf("output %q must be published: step %q has not done so", name, expected.Step)
	case expected.Equals != nil && string(value) != *expected.Equals:
		return fmt.Sprintf("output %q must be %s, not %s", name, quoted([]byte(*expected.Equals)), quoted(value))
	case expected.NonEmpty && len(value) == 0:
		return fmt.Sprintf("output %q must not be empty", name)
	case expected.Matches != "" && !regexp.MustCompile(`\A(?:`+expected.Matches+`)\z`).Match(value):
		return fmt.Sprintf("output %q must match %q, not %s", name, expected.Matches, quoted(value))
	}
	return ""
}

// sameOutputs returns a message for each output that differs between two runs.
func sameOutputs(first, second outputs) []string {
	var messages []string
	for _, name := range slices.Sorted(maps.Keys(first)) {
		value, found := second[name]
		switch {
		case !found:
			messages = append(messages, fmt.Sprintf("output %q must be published again: it was %s", name, quoted(first[name])))
		case !bytes.Equal(first[name], value):
			messages = append(messages, fmt.Sprintf("output %q must stay the same: it was %s, and is %s",
				name, quoted(first[name]), quoted(value)))
		}
	}
	return messages
}

// maxQuoted limits the part of a value in a message, since values may be large or secret.
const maxQuoted = 120

// quoted quotes a value, or its beginning.
func quoted(value []byte) string {
	if len(value) <= maxQuoted {
		return strconv.Quote(string(value))
	}
	return fmt.Sprintf("%s… (%d bytes)", strconv.Quote(string(value[:maxQuoted])), len(value))
}
