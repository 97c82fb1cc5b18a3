package harness

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/report"
)

// Reports are the reports of several plugins.
type Reports []Report

// Formats are what Write knows.
func Formats() []string { return []string{report.Text, report.JSON, report.JUnit} }

// Failed reports whether a check of a plugin has failed.
func (r Reports) Failed() bool { return slices.ContainsFunc(r, Report.Failed) }

// count returns how many checks have ended in a state.
func (r Reports) count(state State) int {
	n := 0
	for _, one := range r {
		for _, result := range one.all() {
			if result.State == state {
				n++
			}
		}
	}
	return n
}

// Write prints the reports in a format.
func (r Reports) Write(out io.Writer, format string, style report.Style) error {
	switch format {
	case report.JSON:
		return report.WriteJSON(out, struct {
			Plugins Reports `json:"plugins"`
			Passed  int     `json:"passed"`
			Failed  int     `json:"failed"`
			Skipped int     `json:"skipped"`
		}{r, r.count(Passed), r.count(Failed), r.count(Skipped)})
	case report.JUnit:
		return r.junit().Write(out)
	}
	var text strings.Builder
	for _, one := range r {
		for _, result := range one.all() {
			text.WriteString(result.text(one.Plugin, style))
		}
	}
	plugins := "1 plugin"
	if len(r) != 1 {
		plugins = fmt.Sprintf("%d plugins", len(r))
	}
	fmt.Fprintf(&text, "%s: %d passed, %d failed, %d skipped\n", plugins, r.count(Passed), r.count(Failed), r.count(Skipped))
	_, err := io.WriteString(out, text.String())
	return err
}

// text is the line of a check. One that failed has a line for each message.
func (r Result) text(plugin string, style report.Style) string {
	line := report.Printable(plugin + " " + r.Check)
	switch r.State {
	case Passed:
		return style.Success("ok  ") + "  " + line + "\n"
	case Skipped:
		return style.Quiet("skip") + "  " + line + ": " + report.Printable(strings.Join(r.Messages, "; ")) + "\n"
	case Failed:
	}
	var text strings.Builder
	text.WriteString(style.Failure("FAIL") + "  " + line + "\n")
	for _, message := range r.Messages {
		text.WriteString("      " + report.Printable(message) + "\n")
	}
	return text.String()
}

// junit has a suite for each plugin, with a case for each check.
func (r Reports) junit() *report.Suites {
	all := &report.Suites{Name: "rplug kubebuilder test"}
	for _, one := range r {
		suite := all.Suite(one.Plugin)
		for _, result := range one.all() {
			reported := suite.Case(one.Plugin, result.Check)
			message := report.Printable(strings.Join(result.Messages, "; "))
			switch result.State {
			case Failed:
				reported.Fail(message, "check", result.text(one.Plugin, report.Style{}))
			case Skipped:
				reported.Skip(message)
			case Passed:
			}
		}
	}
	return all
}
