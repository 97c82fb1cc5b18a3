// Package load reads documents from files, folders, kustomizations, git revisions and the standard input: KRM objects as
// YAML or JSON, and the `name` and `spec` documents of the vendor's tool (native documents), which become KRM objects with
// their templates filled in. Read returns a Package with the documents and what is wrong with them:
//
//	read, err := load.Read([]string{"plugins/"}, load.Options{Values: map[string]string{"tag": "1.0"}})
//
// What is wrong with a file is a finding with its place; only a path that cannot be read is an error. Input is not
// trusted: sizes are limited, and neither a link in a folder nor an embedded file leads out of that folder.
package load

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Stdin is the path of the standard input, and StdinName its name in places.
const (
	Stdin     = "-"
	StdinName = "<stdin>"
)

// MaxFile is the largest file that is read, in bytes.
const MaxFile = 128 << 20

// Options say how files are read. The zero value gives no variable a value.
type Options struct {
	// Values are the variables of templates.
	Values map[string]string
	// KeepUnset leaves values that name a variable without a value as they are, instead of reporting them.
	KeepUnset bool
	// EmbedOutside lets embeds leave the folder of their document.
	EmbedOutside bool
	// Kustomize are folders that are built with kustomize; their objects come first.
	Kustomize []string
	// Input is what the path Stdin means; nil makes that path an error.
	Input io.Reader
	// Files is where the paths are looked up, with slashes and from its root; nil means the file system. A path that it
	// does not have is no error: an older state may lack what is new.
	Files fs.FS
	// Progress is called with how many documents of how many were read, by several goroutines at once; it may be nil.
	Progress func(done, total int)
	// Exclude are patterns of files and folders that are left out of folders; the last ones decide first. A file that is
	// named is read anyway.
	Exclude []Exclusion
	// Tracked reports whether a path is tracked by git: such a file, or a folder with one, is read though a .gitignore file
	// matches it. Nil if that is not known.
	Tracked func(path string) bool
	// Image is the image of the package that a format reads, whatever the package says; empty if it is not known.
	Image string
	// Formats are what is read beside documents of our group.
	Formats []Format
	// Label is put in front of the names of files, such as "main:" for those of a git revision.
	Label string
}

// Exclusion is patterns in the syntax of .gitignore.
type Exclusion struct {
	Patterns []string
	// From is the folder of Files that they are relative to; empty means the working directory, of other Files the root.
	From string
	// Source says in messages where they are from.
	Source string
}

// Package is what was read.
type Package struct {
	// Documents are the objects in the order of the paths, a folder's files sorted by path.
	Documents []Document
	// Findings are about what is not a document, and about files that were left out.
	Findings krm.Results
	// Skipped is what the folders hold for other tools, in the order of the files.
	Skipped []Skipped

	texts   map[string][]byte
	inImage map[string]bool // files of images
}

// Skipped is a file or a document of a folder that is not read as a document.
type Skipped struct {
	File   string
	Line   int // on which it starts, 0 for a file as a whole
	Reason string
	// Excluded reports that a pattern matches the file or folder, whatever it holds.
	Excluded bool
}

// Compare orders what was skipped by its place.
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

// Text returns the text of a file that was read, or that a document embeds; nil if there is none of that name.
func (p *Package) Text(file string) []byte { return p.texts[file] }

// IsInImage reports whether a file that was read is part of an image, so that it cannot be changed.
func (p *Package) IsInImage(file string) bool { return p.inImage[file] }

// Document is one object.
type Document struct {
	Item *krm.Item
	// Native reports whether it came from a native document.
	Native bool
	// Built reports whether kustomize made it.
	Built bool
	// Package is the path of the package that the document is part of, as its format says; empty for others.
	Package string
	// Problems are what is wrong with the document as a native one, and with its templates.
	Problems []strictyaml.Problem
	// Failed are the values whose template could not be filled in; they are unchanged.
	Failed []*yaml.Node
	// Unset are the variables without a value that it names, sorted.
	Unset []string
	// Origins holds for values that were filled in where their parts came from.
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
	result := krm.At(d.Item, problem.Path, problem.Severity, problem.Message)
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

// Read reads files, folders (all `*.yaml`, `*.yml` and `*.json` files below, but for those of .git and .rplug, and those
// that a pattern of Exclude or of a .gitignore file matches, and those that rplug build has written to a folder below) and
// Stdin, and what the formats find. A file that two paths lead to is read once. In folders, files of other tools are
// skipped. The error is about a path that cannot be read.
func Read(paths []string, options Options) (*Package, error) {
	if options.Files == nil {
		options.Files = disk{}
	}
	found := newFinder(options)
	for _, p := range paths {
		if err := found.one(p); err != nil {
			return nil, err
		}
	}
	p := &Package{Findings: found.findings, Skipped: found.skipped, texts: make(map[string][]byte, len(found.sources)),
		inImage: map[string]bool{}}
	for i, folder := range options.Kustomize {
		if folder = filepath.Clean(folder); slices.Index(options.Kustomize, options.Kustomize[i]) == i {
			if err := p.kustomize(folder); err != nil {
				return nil, err
			}
		}
	}
	readers, err := p.open(found.sources, options)
	if err != nil {
		return nil, err
	}
	var done atomic.Int64
	shared := &inserts{}
	krm.Each(len(readers), func(i int) {
		readers[i].shared = shared
		readers[i].read()
		if options.Progress != nil {
			options.Progress(int(done.Add(1)), len(readers))
		}
	})
	if err := shared.err(); err != nil {
		return nil, err
	}
	complete(readers, options)
	p.collect(readers)
	p.reportMissingFiles(found.sources, options)
	return p, nil
}

// builtHere is why files of a folder below the one that is read are no input.
const builtHere = "written by rplug build"

// open reads the sources and splits them into documents.
func (p *Package) open(sources []Source, options Options) ([]*reader, error) {
	texts := make([][]byte, len(sources))
	chunks := make([][]chunk, len(sources))
	errs := make([]error, len(sources))
	krm.Each(len(sources), func(i int) {
		if sources[i].whole == nil {
			texts[i], chunks[i], errs[i] = sources[i].chunks(options.Input)
		}
	})
	var readers []*reader
	for i, source := range sources {
		if source.whole != nil {
			readers = append(readers, &reader{source: source, options: options})
			continue
		}
		if err := errs[i]; err != nil {
			var finding *unreadable
			switch {
			case !errors.As(err, &finding):
				return nil, err
			case source.Named || options.isMeant(texts[i]):
				p.Findings = append(p.Findings, finding.result())
			default:
				p.Skipped = append(p.Skipped, Skipped{File: source.Name, Reason: finding.reason})
			}
			continue
		}
		if !source.Named && strings.Contains(source.Below, "/") && bytes.HasPrefix(texts[i], []byte(contract.BuildMarker)) {
			p.Skipped = append(p.Skipped, Skipped{File: source.Name, Reason: builtHere})
			continue
		}
		p.texts[source.Name] = texts[i]
		for _, text := range chunks[i] {
			of := source
			if template := text.helmSource(); of.Path == StdinName && template != "" {
				of.Name = StdinName + " (" + template + ")"
				p.texts[of.Name] = texts[i]
			}
			readers = append(readers, &reader{source: of, chunk: text, options: options, places: newPlaces(of.Name, text)})
		}
	}
	return readers, nil
}

// IsStdin reports whether a name in a place is that of the standard input, which Helm's template may follow.
func IsStdin(file string) bool { return file == StdinName || strings.HasPrefix(file, StdinName+" (") }

// collect adds what was read. An embedded file is a part of another document: in a folder, only a document of ours in it
// is one of its own, since that may be delivered, too.
func (p *Package) collect(readers []*reader) {
	parts := map[string]bool{}
	for _, r := range readers {
		for name, content := range r.embedded {
			parts[name] = true
			p.texts[name] = content
		}
		maps.Copy(p.texts, r.content.Texts)
		for name := range r.content.Texts {
			p.inImage[name] = r.content.InImage
		}
	}
	ours := map[string]bool{} // files with documents of ours
	for _, r := range readers {
		ours[r.source.Name] = ours[r.source.Name] || slices.ContainsFunc(r.documents, r.options.isOurs)
	}
	for _, r := range readers {
		r.finish(ours[r.source.Name])
		if !r.source.Named && parts[r.source.Path] {
			r.skipped = nil
			r.documents = slices.DeleteFunc(r.documents, func(d Document) bool { return !r.options.isOurs(d) })
		}
		p.Documents = append(p.Documents, r.documents...)
		p.Findings = append(p.Findings, r.findings...)
		p.Skipped = append(p.Skipped, r.skipped...)
	}
	slices.SortStableFunc(p.Skipped, Skipped.Compare)
}

// isOurs reports whether a document is of our group, or looks as if it should be, or is one of a format.
func (o Options) isOurs(d Document) bool {
	return d.Native || d.Package != "" || slices.ContainsFunc(o.Formats, func(f Format) bool { return f.Has(d.Item) }) ||
		strings.HasPrefix(d.Item.APIVersion(), contract.Group+"/") || document.LooksLike(d.Item) != ""
}
