// Package report prints outcomes: as text for people, as JSON and JUnit for programs, and as the line of a badge. Write
// does so in a format of Formats.
package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/resource-plugins/krm-functions/conformance/internal/check"
	"github.com/resource-plugins/krm-functions/conformance/internal/suite"
)

// Formats are the formats of Write.
var Formats = []string{"text", "json", "junit", "badge"}

// Report is the outcome of the suite for one function.
type Report struct {
	Function string
	Profile  suite.Profile
	Outcomes []*check.Outcome
}

// Count returns the number of outcomes with a status.
func (r *Report) Count(status check.Status) int {
	n := 0
	for _, outcome := range r.Outcomes {
		if outcome.Status == status {
			n++
		}
	}
	return n
}

// Failed reports whether a case failed.
func (r *Report) Failed() bool { return r.Count(check.Failed) > 0 }

// Write prints a report.
func (r *Report) Write(w io.Writer, format string) error {
	switch format {
	case "text":
		return r.text(w)
	case "json":
		return r.json(w)
	case "junit":
		return r.junit(w)
	case "badge":
		return r.badge(w)
	}
	return fmt.Errorf("unknown format %q", format)
}

func (r *Report) text(w io.Writer) error {
	var out strings.Builder
	for _, outcome := range r.Outcomes {
		c := outcome.Case
		switch outcome.Status {
		case check.Passed:
			continue
		case check.Failed:
			fmt.Fprintf(&out, "FAIL     %-28s %-10s  %s\n", c.ID, c.Level, c.Title)
			for _, problem := range outcome.Problems {
				fmt.Fprintf(&out, "           %s\n", problem)
			}
			fmt.Fprintf(&out, "           %s\n", source(c))
		default:
			fmt.Fprintf(&out, "%-8s %-28s %-10s  %s\n", outcome.Status, c.ID, c.Level, outcome.Reason)
		}
	}
	fmt.Fprintf(&out, "%s: %s\n", r.Function, r.summary())
	_, err := io.WriteString(w, out.String())
	return err
}

// source is the sentence that a case tests, or who relies on it.
func source(c *suite.Case) string {
	if c.Sentence != "" {
		return fmt.Sprintf("specification: %q", c.Sentence)
	}
	return "relied on by " + c.By
}

func (r *Report) summary() string {
	return fmt.Sprintf("%d passed, %d failed, %d blocked, %d skipped", r.Count(check.Passed), r.Count(check.Failed),
		r.Count(check.Blocked), r.Count(check.Skipped))
}

// badge prints the JSON that https://shields.io/badges/endpoint-badge reads.
func (r *Report) badge(w io.Writer) error {
	color := "brightgreen"
	if r.Failed() {
		color = "red"
	}
	run := len(r.Outcomes) - r.Count(check.Skipped)
	return encode(w, map[string]any{
		"schemaVersion": 1,
		"label":         "KRM function conformance",
		"message":       fmt.Sprintf("%d of %d", r.Count(check.Passed), run),
		"color":         color,
	}, "")
}

// The documents of the format json.
type (
	jsonReport struct {
		Function string               `json:"function"`
		Profile  suite.Profile        `json:"profile"`
		Counts   map[check.Status]int `json:"counts"`
		Cases    []jsonCase           `json:"cases"`
	}
	jsonCase struct {
		ID       string       `json:"id"`
		Title    string       `json:"title"`
		Level    suite.Level  `json:"level"`
		Sentence string       `json:"sentence,omitempty"`
		By       string       `json:"reliedOnBy,omitempty"`
		Status   check.Status `json:"status"`
		Reason   string       `json:"reason,omitempty"`
		Problems []string     `json:"problems,omitempty"`
		Runs     []jsonRun    `json:"runs,omitempty"` // of a case that failed
	}
	jsonRun struct {
		Stdin  string `json:"stdin"`
		Stdout string `json:"stdout"`
		Stderr string `json:"stderr"`
		Exit   int    `json:"exitCode"`
		Signal string `json:"signal,omitempty"`
	}
)

func (r *Report) json(w io.Writer) error {
	document := jsonReport{Function: r.Function, Profile: r.Profile, Counts: map[check.Status]int{}}
	for _, status := range []check.Status{check.Passed, check.Failed, check.Blocked, check.Skipped} {
		document.Counts[status] = r.Count(status)
	}
	for _, outcome := range r.Outcomes {
		c := outcome.Case
		one := jsonCase{ID: c.ID, Title: c.Title, Level: c.Level, Sentence: c.Sentence, By: c.By, Status: outcome.Status,
			Reason: outcome.Reason, Problems: outcome.Problems}
		if outcome.Status == check.Failed {
			for _, run := range outcome.Runs {
				one.Runs = append(one.Runs, jsonRun{Stdin: limit(run.Stdin), Stdout: limit(run.Stdout), Stderr: limit(run.Stderr),
					Exit: run.Exit, Signal: run.Signal})
			}
		}
		document.Cases = append(document.Cases, one)
	}
	return encode(w, document, "  ")
}

func encode(w io.Writer, value any, indent string) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	return encoder.Encode(value)
}

// limit returns the first kilobytes of a stream.
func limit(stream []byte) string {
	const most = 16 << 10
	text := string(stream[:min(len(stream), most)])
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	if len(stream) > most {
		text += fmt.Sprintf("\n… %d more bytes", len(stream)-most)
	}
	return text
}

// Explain describes a case: its check, the reason, and the input.
func Explain(w io.Writer, c *suite.Case, data suite.Data) error {
	fmt.Fprintf(w, "%s (%s): the function %s\n\n%s\n\n%s\n", c.ID, c.Level, c.Title, source(c), c.Reason)
	if c.Every {
		fmt.Fprintln(w, "\nThis case judges the runs of all other cases.")
	}
	check := c.Check
	fmt.Fprintf(w, "\nCheck: %s", check.Is)
	if check.Case != "" {
		fmt.Fprintf(w, " (compared with %s)", check.Case)
	}
	fmt.Fprintln(w)
	for _, value := range check.Values {
		fmt.Fprintf(w, "  %s of the item %s is %s\n", strings.Join(value.Path, " "), value.Probe, value.Equals)
	}
	for _, text := range check.Texts {
		fmt.Fprintf(w, "  %s\n", text)
	}
	if check.Schema != nil {
		fmt.Fprintf(w, "  %s: ", cmp.Or(check.Of, "list"))
		if err := encode(w, check.Schema, ""); err != nil {
			return err
		}
	}
	if c.Every {
		return nil
	}
	if len(c.Run.Conditions) > 0 {
		fmt.Fprintf(w, "Conditions: %s\n", strings.Join(c.Run.Conditions, ", "))
	}
	input, has, err := c.Run.Bytes(data)
	switch {
	case err != nil:
		return err
	case has:
		fmt.Fprintf(w, "\nInput:\n%s\n", limit(input))
	}
	return nil
}
