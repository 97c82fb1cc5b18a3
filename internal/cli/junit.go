package cli

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

		byFile map[string]*junitSuite
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

// printJUnit prints a report for continuous integration: a document fails with its errors; warnings are its output.
func printJUnit(out io.Writer, r *report) error {
	all := &junitSuites{Name: r.name, byFile: map[string]*junitSuite{}}
	cases := map[document]*junitCase{}
	byRef := map[krm.ResourceRef]*junitCase{}
	for _, item := range r.list.Items() {
		d := document{ref: item.Ref(), file: item.PlaceOf("").File}
		if group, _, _ := strings.Cut(d.ref.APIVersion, "/"); group != contract.Group {
			continue // an object of somebody else's
		}
		cases[d] = all.suite(d.file).add(subjectText(&d.ref))
		byRef[d.ref] = cases[d]
	}
	for _, result := range r.results {
		d := document{file: result.Place.File}
		if result.ResourceRef != nil {
			d.ref = *result.ResourceRef
		}
		one := cases[d]
		if one == nil {
			one = byRef[d.ref] // what is wrong is in a file that the document embeds
		}
		if one == nil {
			one = all.suite(cmp.Or(d.file, r.name)).add(d.name(r.name))
			cases[d] = one
		}
		one.take(result)
	}
	all.count()
	return writeXML(out, all)
}

// document is what a case is about.
type document struct {
	ref  krm.ResourceRef
	file string
}

// name is that of the case of findings about no document.
func (d document) name(program string) string {
	switch {
	case d.ref.Kind != "":
		return subjectText(&d.ref)
	case d.file != "":
		return d.file
	default:
		return program
	}
}

func (s *junitSuites) suite(file string) *junitSuite {
	one := s.byFile[file]
	if one == nil {
		one = &junitSuite{Name: printable(file)}
		s.byFile[file] = one
		s.Suites = append(s.Suites, one)
	}
	return one
}

func (s *junitSuite) add(name string) *junitCase {
	one := &junitCase{Class: s.Name, Name: printable(name)}
	s.Cases = append(s.Cases, one)
	return one
}

// take adds a finding to a case.
func (c *junitCase) take(result krm.Result) {
	text := line(result, look{}) + "\n"
	switch {
	case result.Severity == krm.Warning || result.Severity == krm.Info:
		if c.Output == nil {
			c.Output = &junitText{}
		}
		c.Output.Text += text
	case c.Failure == nil:
		c.Failure = &junitFailure{Message: told(result), Type: string(krm.Error), Text: text}
	default:
		c.Failure.Text += text
	}
}

func (s *junitSuites) count() {
	for _, suite := range s.Suites {
		for _, one := range suite.Cases {
			suite.Tests++
			if one.Failure != nil {
				suite.Failures++
			}
		}
		s.Tests += suite.Tests
		s.Failures += suite.Failures
	}
}

func writeXML(out io.Writer, value any) error {
	var text strings.Builder
	text.WriteString(xml.Header)
	encoder := xml.NewEncoder(&text)
	encoder.Indent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return err
	}
	_, err := io.WriteString(out, text.String()+"\n")
	return err
}
