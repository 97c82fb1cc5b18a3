package registry

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm/field"
)

// Finding is a problem in a file.
type Finding struct {
	// Problem has the line and the column of its field.
	strictyaml.Problem
	// File is the name of the file in messages.
	File string
	// Document is the document of the file, nil if the problem concerns the file as a whole.
	Document *yaml.Node
}

// IsAtKey reports whether the finding is about the key at its path, not about the value.
func (f *Finding) IsAtKey() bool { return f.Rule == strictyaml.RuleUnknown }

// Findings returns the problems in the files, sorted by file, position, field, severity and message.
func (r *Package) Findings() []*Finding { return r.findings }

// Failed reports whether a finding is an error.
func (r *Package) Failed() bool { return slices.ContainsFunc(r.findings, isError) }

func isError(f *Finding) bool { return f.Severity == strictyaml.SeverityError }

// report adds a finding about a file as a whole.
func (r *Package) report(file string, severity strictyaml.Severity, message string) {
	r.findings = append(r.findings, &Finding{
		Problem: strictyaml.Problem{Severity: severity, Message: message}, File: r.shown(file),
	})
}

// problems adds findings for the problems of a document.
func (r *Package) problems(d *document, problems []strictyaml.Problem) {
	for _, problem := range problems {
		f := &Finding{Problem: problem, File: d.file, Document: d.root}
		if f.IsAtKey() {
			f.Severity = strictyaml.SeverityWarning // crossplane silently ignored it, and the rest is valid
		}
		if f.Line == 0 {
			f.locate()
		}
		r.findings = append(r.findings, f)
	}
}

// locate sets the position to that of the field or of its nearest existing parent.
func (f *Finding) locate() {
	node, _ := f.Path.Nearest(f.Document)
	if key, found := f.Path.FindKey(f.Document); found && f.IsAtKey() {
		node = key
	}
	f.Line, f.Column = node.Line, node.Column
}

func (r *Package) hasErrors(file string) bool {
	return slices.ContainsFunc(r.findings, func(f *Finding) bool { return f.File == r.shown(file) && isError(f) })
}

// sort orders the findings and drops duplicates, as krm.Results does.
func (r *Package) sort() {
	slices.SortStableFunc(r.findings, compareFindings)
	r.findings = slices.CompactFunc(r.findings, func(a, b *Finding) bool { return compareFindings(a, b) == 0 })
}

func compareFindings(a, b *Finding) int {
	return cmp.Or(
		strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
		field.Compare(a.Path, b.Path), cmp.Compare(rank(a.Severity), rank(b.Severity)),
		strings.Compare(a.Message, b.Message),
	)
}

// severities are in the order of findings.
var severities = []strictyaml.Severity{strictyaml.SeverityError, strictyaml.SeverityWarning, strictyaml.SeverityInfo}

func rank(severity strictyaml.Severity) int { return slices.Index(severities, severity) }
