// Package report prints findings: as text for people, and as JSON, SARIF and JUnit for programs. Each format is one
// file; all of them print a Report, which holds the results and what is needed to describe them.
//
//	err := (&report.Report{Name: "validate-plugin", Results: results, Files: files}).Write(os.Stdout, report.SARIF)
package report

import (
	"fmt"
	"io"

	"github.com/resource-plugins/krm-functions/internal/edit"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// Home is where the program that reports is documented.
const Home = "https://github.com/resource-plugins/krm-functions"

// Report is what one run found.
type Report struct {
	// Name and Version are those of the program.
	Name, Version string
	// Rules are the rules that the program knows, for formats that list them; nil if its results name none.
	Rules []*validate.Rule
	// List holds the documents that were checked.
	List *krm.ResourceList
	// Results are the findings, in the order to print them.
	Results krm.Results
	// Suppressed are findings that comments suppress, for formats that have a place for them.
	Suppressed []validate.Suppressed
	// Summary is one line that says what was done.
	Summary string
	// Files are the files that the results name.
	Files *edit.Files
	// Style is how text is printed.
	Style Style
	// Folder is the working folder, empty if it is not known, and Root the top folder of the git repository that holds it,
	// empty if there is none.
	Folder, Root string
	// Revision is the git revision of an older state: its files are named REVISION:PATH, from the root. Empty if there is
	// none.
	Revision string
}

// The formats.
const (
	Text  = "text"
	JSON  = "json"
	SARIF = "sarif"
	JUnit = "junit"
)

// Formats returns the names of the formats.
func Formats() []string { return []string{Text, JSON, SARIF, JUnit} }

// Write prints the report in a format.
func (r *Report) Write(out io.Writer, format string) error {
	switch format {
	case Text:
		return r.writeText(out)
	case JSON:
		return r.writeJSON(out)
	case SARIF:
		return r.writeSARIF(out)
	case JUnit:
		return r.writeJUnit(out)
	}
	return fmt.Errorf("there is no format %q", format)
}
