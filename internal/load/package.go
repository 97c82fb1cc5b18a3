package load

import (
	"cmp"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Package is the result of Read.
type Package struct {
	// Documents are the objects in the order of the paths, a folder's files sorted by path.
	Documents []Document
	// Findings are about texts that are not documents, and about files that were left out.
	Findings krm.Results
	// Skipped are the files and documents in folders that are for other tools, in the order of the files.
	Skipped []Skipped
	// Postponed are the documents that were not kept, in order.
	Postponed []Postponed

	texts   map[string][]byte
	inImage map[string]bool // files of images
	options *Options
	parts   []part
	unread  []string                 // paths of files whose documents are reused
	again   func() (*Package, error) // see All
}

// Skipped is a file or a document of a folder that is not read as a document.
type Skipped struct {
	File   string
	Line   int // on which it starts, 0 for a file as a whole
	Reason string
	// Excluded reports that a pattern matches the file or folder, whatever it holds.
	Excluded bool
}

// Compare orders skipped files and documents by their places.
func (s Skipped) Compare(other Skipped) int {
	return cmp.Or(cmp.Compare(s.File, other.File), cmp.Compare(s.Line, other.Line))
}

// String returns the place and the reason.
func (s Skipped) String() string {
	if s.Line == 0 {
		return s.File + ": " + s.Reason
	}
	return fmt.Sprintf("%s:%d: %s", s.File, s.Line, s.Reason)
}

// Text returns the text of a file that was read, or that a document embeds; nil if no such file has that name.
func (p *Package) Text(file string) []byte { return p.texts[file] }

// IsInImage reports whether a file that was read is part of an image, so that it cannot be changed.
func (p *Package) IsInImage(file string) bool { return p.inImage[file] }

// List returns the documents, each at its place among all, with those that were postponed.
func (p *Package) List() *krm.ResourceList {
	list, place := krm.NewList(), 0
	for i, d := range p.Documents {
		for place-i < len(p.Postponed) && int(p.Postponed[place-i].Before) <= i {
			place++
		}
		list.AppendAt(place, d.Item)
		place++
	}
	return list
}

// Document is one object.
type Document struct {
	Item *krm.Item
	// Native reports whether it came from a native document.
	Native bool
	// Built reports whether kustomize made it.
	Built bool
	// Package is the path of the package that the document is part of, as its format says; empty for others.
	Package string
	// Key is that of a document that could be postponed, with Options.Reuse; else it is empty.
	Key Key
	// Problems are the problems of the document as a native one, and of its templates.
	Problems []strictyaml.Problem
	// Failed are the values whose template could not be filled in; they are unchanged.
	Failed []*yaml.Node
	// Unset are the variables without a value that it names, sorted.
	Unset []string
	// Origins holds the origins of the parts of values that were filled in.
	Origins map[*yaml.Node][]Origin
}

// Results returns all findings and problems, sorted.
func (p *Package) Results() krm.Results {
	results := slices.Clone(p.Findings)
	for _, d := range p.Documents {
		for _, problem := range d.Problems {
			results = append(results, d.result(problem))
		}
	}
	return results.Sort()
}

func (d *Document) result(problem strictyaml.Problem) krm.Result {
	result := krm.At(d.Item, problem.Path, krm.Severity(problem.Severity), problem.Message)
	result.Tags = map[string]string{krm.RuleTag: problem.Rule}
	if problem.Line > 0 {
		result.Place.Line, result.Place.Column = problem.Line, problem.Column
	}
	if problem.Proposed != nil {
		result.Tags[krm.TargetTag] = krm.TargetKey
		result.Field.CurrentValue, result.Field.ProposedValue = problem.Key, problem.Proposed
	}
	return result
}
