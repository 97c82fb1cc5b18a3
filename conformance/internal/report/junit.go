package report

import (
	"encoding/xml"
	"io"
	"strings"

	"github.com/resource-plugins/krm-functions/conformance/internal/check"
)

// The elements of JUnit's format that CI systems read.
type (
	testSuite struct {
		XMLName  xml.Name   `xml:"testsuite"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Skipped  int        `xml:"skipped,attr"`
		Cases    []testCase `xml:"testcase"`
	}
	testCase struct {
		Class   string       `xml:"classname,attr"`
		Name    string       `xml:"name,attr"`
		Failure *testMessage `xml:"failure,omitempty"`
		Skipped *testMessage `xml:"skipped,omitempty"`
	}
	testMessage struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

func (r *Report) junit(w io.Writer) error {
	document := testSuite{Name: "krm-conformance " + r.Function, Tests: len(r.Outcomes), Failures: r.Count(check.Failed),
		Skipped: r.Count(check.Skipped) + r.Count(check.Blocked)}
	for _, outcome := range r.Outcomes {
		class, name, _ := strings.Cut(outcome.Case.ID, "/")
		one := testCase{Class: class, Name: name}
		switch outcome.Status {
		case check.Failed:
			one.Failure = &testMessage{Message: outcome.Case.Title,
				Text: strings.Join(append(outcome.Problems[:len(outcome.Problems):len(outcome.Problems)], source(outcome.Case)), "\n")}
		case check.Passed:
		case check.Skipped, check.Blocked:
			one.Skipped = &testMessage{Message: outcome.Reason}
		}
		document.Cases = append(document.Cases, one)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(document); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
