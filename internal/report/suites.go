package report

import (
	"encoding/xml"
	"io"
)

// Suites is a report in JUnit's XML, limited to elements that all readers support.
type Suites struct {
	XMLName  xml.Name `xml:"testsuites"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Suites   []*Suite `xml:"testsuite"`
}

// Suite is a group of cases.
type Suite struct {
	Name     string  `xml:"name,attr"`
	Tests    int     `xml:"tests,attr"`
	Failures int     `xml:"failures,attr"`
	Skipped  int     `xml:"skipped,attr,omitempty"`
	Cases    []*Case `xml:"testcase"`

	all *Suites
}

// Case is a checked item. It has passed unless it has a failure or is skipped.
type Case struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Failure *failure `xml:"failure"`
	Skipped *skipped `xml:"skipped"`
	Output  *output  `xml:"system-out"`

	suite *Suite
}

type failure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",cdata"`
}

type skipped struct {
	Message string `xml:"message,attr"`
}

type output struct {
	Text string `xml:",cdata"`
}

// Suite adds a suite.
func (s *Suites) Suite(name string) *Suite {
	suite := &Suite{Name: Printable(name), all: s}
	s.Suites = append(s.Suites, suite)
	return suite
}

// Case adds a case.
func (s *Suite) Case(class, name string) *Case {
	added := &Case{Class: Printable(class), Name: Printable(name), suite: s}
	s.Cases = append(s.Cases, added)
	s.Tests++
	s.all.Tests++
	return added
}

// Fail adds a failure. The message and kind of the first failure are kept, and the texts are joined. The message must be
// printable.
func (c *Case) Fail(message, kind, text string) {
	if c.Failure == nil {
		c.Failure = &failure{Message: message, Type: kind}
		c.suite.Failures++
		c.suite.all.Failures++
	}
	c.Failure.Text += text
}

// Skip marks the case as skipped. The reason must be printable.
func (c *Case) Skip(reason string) {
	c.Skipped = &skipped{reason}
	c.suite.Skipped++
}

// Print adds output that is not a failure.
func (c *Case) Print(text string) {
	if c.Output == nil {
		c.Output = &output{}
	}
	c.Output.Text += text
}

// Write prints the report.
func (s *Suites) Write(out io.Writer) error {
	text, err := xml.MarshalIndent(s, "", "  ")
	if err == nil {
		_, err = io.WriteString(out, xml.Header+replaceCommands(string(text), "&#58;", "&#35;")+"\n")
	}
	return err
}
