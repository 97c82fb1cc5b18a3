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

// Formats returns the formats of Write.
func Formats() []string { return []string{report.Text, report.JSON, report.JUnit} }

// Failed reports whether a check of a plugin has failed.
func (r Reports) Failed() bool { return slices.ContainsFunc(r, Report.Failed) }

// count returns the number of checks in a state.
func (r Reports) count(state State) int {
	n := 0
	for _, plugin := range r {
		for _, result := range plugin.all() {
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
	for _, plugin := range r {
		for _, result := range plugin.all() {
			text.WriteString(result.text(plugin.Plugin, style))
		}
	}
	n := len(slices.DeleteFunc(slices.Clone(r), func(report Report) bool { return report.IsChain }))
	plugins := "1 plugin"
	if n != 1 {
		plugins = fmt.Sprintf("%d plugins", n)
	}
	fmt.Fprintf(&text, "%s: %d passed, %d failed, %d skipped\n", plugins, r.count(Passed), r.count(Failed), r.count(Skipped))
	_, err := io.WriteString(out, text.String())
	return err
}

// text returns the lines of a result: one, or for a failure one more for each message.
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

// junit returns a suite for each plugin, with a case for each check.
func (r Reports) junit() *report.Suites {
	all := &report.Suites{Name: "rplug kubebuilder test"}
	for _, plugin := range r {
		suite := all.Suite(plugin.Plugin)
		for _, result := range plugin.all() {
			reported := suite.Case(plugin.Plugin, result.Check)
			message := report.Printable(strings.Join(result.Messages, "; "))
			switch result.State {
			case Failed:
				reported.Fail(message, "check", result.text(plugin.Plugin, report.Style{}))
			case Skipped:
				reported.Skip(message)
			case Passed:
			}
		}
	}
	return all
}
