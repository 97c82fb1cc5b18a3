package report

import (
	"cmp"
	"encoding/xml"
	"io"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// The parts of JUnit's XML that every reader knows: a suite for each file, a case for each document.
type (
	junitSuites struct {
		XMLName  xml.Name      `xml:"testsuites"`
		Name     string        `xml:"name,attr"`
		Tests    int           `xml:"tests,attr"`
		Failures int           `xml:"failures,attr"`
		Suites   []*junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Cases    []*junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitFailure `xml:"failure"`
		Output  *junitText    `xml:"system-out"`
		suite   *junitSuite
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",cdata"`
	}
	junitText struct {
		Text string `xml:",cdata"`
	}
)

// document is what a case is about.
type document struct {
	ref  krm.ResourceRef
	file string
}

// writeJUnit prints a report for continuous integration: errors fail a document, warnings are its output.
func (r *Report) writeJUnit(out io.Writer) error {
	all := &junitSuites{Name: r.Name}
	suites := map[string]*junitSuite{}
	cases := map[document]*junitCase{}
	add := func(d document, file, name string) *junitCase {
		if suites[file] == nil {
			suites[file] = &junitSuite{Name: Printable(file)}
			all.Suites = append(all.Suites, suites[file])
		}
		one := &junitCase{Class: suites[file].Name, Name: Printable(name), suite: suites[file]}
		suites[file].Cases = append(suites[file].Cases, one)
		suites[file].Tests++
		cases[d] = one
		return one
	}
	byRef := map[krm.ResourceRef]*junitCase{}
	for _, item := range r.List.Items() {
		if group, _, _ := strings.Cut(item.APIVersion(), "/"); group == contract.Group {
			d := document{ref: item.Ref(), file: item.PlaceOf("").File}
			byRef[d.ref] = add(d, d.file, ObjectText(&d.ref))
		}
	}
	for _, result := range r.Results {
		d := document{file: result.Place.File}
		if result.ResourceRef != nil {
			d.ref = *result.ResourceRef
		}
		one := cmp.Or(cases[d], byRef[d.ref]) // by its reference if the finding is in a file that the document embeds
		if one == nil {
			one = add(d, cmp.Or(d.file, r.Name), cmp.Or(ObjectText(&d.ref), d.file, r.Name))
		}
		one.add(result)
	}
	for _, suite := range all.Suites {
		all.Tests += suite.Tests
		all.Failures += suite.Failures
	}
	return writeXML(out, all)
}

// add adds a finding to a case.
func (c *junitCase) add(result krm.Result) {
	text := Line(result, Style{}) + "\n"
	switch {
	case result.Severity == krm.Warning || result.Severity == krm.Info:
		if c.Output == nil {
			c.Output = &junitText{}
		}
		c.Output.Text += text
	case c.Failure == nil:
		c.suite.Failures++
		c.Failure = &junitFailure{Message: message(result), Type: string(krm.Error), Text: text}
	default:
		c.Failure.Text += text
	}
}

func writeXML(out io.Writer, value any) error {
	text, err := xml.MarshalIndent(value, "", "  ")
	if err == nil {
		_, err = io.WriteString(out, xml.Header+string(text)+"\n")
	}
	return err
}
