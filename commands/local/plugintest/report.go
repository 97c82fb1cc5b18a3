package plugintest

import (
	"fmt"
	"io"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/report"
)

// Result is the result of a check.
type Result string

// Results of checks.
const (
	Passed  Result = "passed"
	Failed  Result = "failed"
	Skipped Result = "skipped"
)

// Checks of each case. The built-in ones are those of v1alpha1.BuiltinChecks.
const (
	CheckCreate       = "create"
	CheckCreateScript = "create-check"
	CheckDelete       = "delete"
	CheckDeleteScript = "delete-check"
)

// Check is a check of a plugin, or of a case, with its result.
type Check struct {
	// Test and Case name the case; Case is empty for a check of the plugin itself.
	Test string `json:"-"`
	Case string `json:"case,omitempty"`
	// ID is the name of the check.
	ID     string `json:"check"`
	Result Result `json:"result"`
	// Messages are the reasons why the check failed or was skipped, each on one line.
	Messages []string `json:"messages,omitempty"`
	// Note is the list of the things that a check has looked at, if its name says more.
	Note string `json:"note,omitempty"`
	// Logs are the last lines of failed steps, scripts and fixtures.
	Logs []Log `json:"logs,omitempty"`
}

// Log is the last lines of a log of a step, a script or a fixture.
type Log struct {
	Of   string `json:"of"`
	Text string `json:"text"`
}

// TestReport is the result of a test.
type TestReport struct {
	Name   string  `json:"name"`
	Plugin string  `json:"plugin"`
	File   string  `json:"file,omitempty"`
	Checks []Check `json:"checks"`

	test   *test
	static []Check
	cases  []*caseRun
}

// Report holds the results of the tests, in the order of the documents.
type Report struct {
	Tests []*TestReport `json:"tests"`
	// Passed, Failed and Skipped are numbers of checks.
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
}

func (r *Report) count() {
	for _, t := range r.Tests {
		for _, check := range t.Checks {
			switch check.Result {
			case Passed:
				r.Passed++
			case Failed:
				r.Failed++
			case Skipped:
				r.Skipped++
			}
		}
	}
}

// Formats returns the formats of Write.
func Formats() []string { return []string{report.Text, report.JSON, report.JUnit} }

// Write prints the report in a format.
func (r *Report) Write(out io.Writer, format string, style report.Style) error {
	switch format {
	case report.JSON:
		return report.WriteJSON(out, r)
	case report.JUnit:
		return r.junit().Write(out)
	}
	var text strings.Builder
	cases := 0
	for _, t := range r.Tests {
		cases += len(t.cases)
		for _, check := range t.Checks {
			text.WriteString(check.Text(style))
		}
	}
	fmt.Fprintf(&text, "%s and %s: %s, %d failed, %d skipped\n", amount(len(r.Tests), "test"), amount(cases, "case"),
		amount(r.Passed, "check")+" passed", r.Failed, r.Skipped)
	_, err := io.WriteString(out, text.String())
	return err
}

func amount(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Name returns TEST, or TEST/CASE.
func (c Check) Name() string {
	if c.Case == "" {
		return c.Test
	}
	return c.Test + "/" + c.Case
}

// Text returns the line of a check, and for a failed check a line for each message, and the logs.
func (c Check) Text(style report.Style) string {
	line := fmt.Sprintf("%s %s", c.Name(), c.ID)
	switch c.Result {
	case Passed:
		if c.Note != "" {
			line += ": " + report.Printable(c.Note)
		}
		return style.Success("ok  ") + "  " + line + "\n"
	case Skipped:
		return style.Quiet("skip") + "  " + line + ": " + report.Printable(strings.Join(c.Messages, "; ")) + "\n"
	case Failed:
	}
	var text strings.Builder
	text.WriteString(style.Failure("FAIL") + "  " + line + "\n")
	for _, message := range c.Messages {
		fmt.Fprintf(&text, "      %s\n", report.Printable(message))
	}
	for _, log := range c.Logs {
		fmt.Fprintf(&text, "      the end of what %s printed:\n", log.Of)
		for line := range strings.Lines(log.Text) {
			fmt.Fprintf(&text, "        %s\n", report.Printable(strings.TrimRight(line, "\r\n")))
		}
	}
	return text.String()
}

// junit returns a suite for each test, with a case for each check.
func (r *Report) junit() *report.Suites {
	all := &report.Suites{Name: "rplug test"}
	for _, t := range r.Tests {
		suite := all.Suite(t.Name)
		for _, check := range t.Checks {
			reported := suite.Case(check.Name(), check.ID)
			switch check.Result {
			case Failed:
				message := strings.Join(check.Messages, "; ")
				reported.Fail(report.Printable(message), "check", check.Text(report.Style{}))
			case Skipped:
				reported.Skip(report.Printable(strings.Join(check.Messages, "; ")))
			case Passed:
			}
		}
	}
	return all
}
