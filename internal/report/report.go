// Package report prints findings: as text for people, and as JSON, SARIF and JUnit for programs. Each format is one file;
// all of them print a Report, which holds the results and the data to describe them.
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

// Home is the home page of the program.
const Home = "https://github.com/resource-plugins/krm-functions"

// Report holds the findings of a run.
type Report struct {
	// Name and Version identify the program.
	Name, Version string
	// Rules are all rules of the program, for formats that list them; nil for a program without rules.
	Rules []*validate.Rule
	// List holds the checked documents.
	List *krm.ResourceList
	// Results are the findings, in the order to print them.
	Results krm.Results
	// Suppressed are the findings suppressed by comments, for formats that support them.
	Suppressed []validate.Suppressed
	// Summary describes the run in one line.
	Summary string
	// Files are the files in the results.
	Files *edit.Files
	// Style is the style of the text format.
	Style Style
	// Folder is the working directory, empty if it is unknown. Root is the top folder of its git repository, empty outside a
	// repository.
	Folder, Root string
	// Revision is the git revision of the documents, whose files are named REVISION:PATH, relative to the root. It is empty
	// for files on the disk.
	Revision string
}

// Formats of reports.
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
