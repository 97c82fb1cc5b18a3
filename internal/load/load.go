// Package load reads documents from files, folders, kustomizations, git revisions and stdin. They are KRM objects as YAML or
// JSON, or the `name` and `spec` documents of the vendor's tool (native documents), which become KRM objects with their
// templates filled in. Read returns a Package with the documents and their problems:
//
//	read, err := load.Read([]string{"plugins/"}, load.Options{Values: map[string]string{"tag": "1.0"}})
//
// A problem of a file is a finding with its place; only a path that cannot be read is an error. Input is not trusted: sizes
// are limited, and neither a link in a folder nor an embedded file leads out of that folder.
package load

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Stdin is the path of the standard input, and StdinName its name in places.
const (
	Stdin     = "-"
	StdinName = "<stdin>"
)

// MaxFile is the largest file that is read, in bytes.
const MaxFile = 128 << 20

// Options control how files are read. The zero value gives no variable a value.
type Options struct {
	// Values are the variables of templates.
	Values map[string]string
	// KeepUnset leaves values that name a variable without a value as they are, instead of reporting them.
	KeepUnset bool
	// EmbedOutside lets embeds leave the folder of their document.
	EmbedOutside bool
	// Kustomize are folders that are built with kustomize; their objects come first.
	Kustomize []string
	// Input is read for the path Stdin; nil makes that path an error.
	Input io.Reader
	// Files is where the paths are looked up, with slashes and from its root; nil means the file system. A path that it
	// does not have is not an error: an older state may lack new files.
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
	// Formats are read in addition to documents of our group.
	Formats []Format
	// Label is put in front of the names of files, such as "main:" for those of a git revision.
	Label string
	// Postpone decides which documents are not kept; nil keeps all.
	Postpone Postponer
	// Reuse knows postponed documents that need not be read again; nil if all are read.
	Reuse Reuser
}

// Exclusion is patterns in the syntax of .gitignore.
type Exclusion struct {
	Patterns []string
	// From is the folder of Files that they are relative to; empty means the working directory, of other Files the root.
	From string
	// Source is their origin, for messages.
	Source string
}

// Read reads files, folders (all `*.yaml`, `*.yml` and `*.json` files below, but for those of .git and .rplug, and those
// that a pattern of Exclude or of a .gitignore file matches, and those that rplug build has written to a folder below) and
// Stdin, and the files and folders that the formats find. A file that two paths lead to is read once. In folders, files of
// other tools are skipped. The error is about a path that cannot be read.
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
		inImage: map[string]bool{}, options: &options}
	for i, folder := range options.Kustomize {
		if folder = filepath.Clean(folder); slices.Index(options.Kustomize, options.Kustomize[i]) == i {
			if err := p.kustomize(folder); err != nil {
				return nil, err
			}
		}
	}
	if err := p.open(found.sources); err != nil {
		return nil, err
	}
	if options.Postpone != nil {
		p.again = readAgain(*p, found.sources)
	}
	return p, p.read(found.sources)
}

// read reads the parts of the sources.
func (p *Package) read(sources []Source) error {
	parts := p.parts
	isReused := p.reuse(sources)
	var done atomic.Int64
	shared := &inserts{}
	readers := make([]*reader, len(parts))
	krm.Each(len(parts), func(i int) {
		if parts[i].isReused {
			return
		}
		if !parts[i].isDeferred(p.options) {
			if r := parts[i].read(p.options, shared); !r.isPostponed() {
				readers[i] = r
			}
		}
		if p.options.Progress != nil {
			p.options.Progress(int(done.Add(1)), len(parts))
		}
	})
	if p.options.Postpone != nil && !p.options.Postpone.Suffices() {
		if isReused {
			return ErrReused
		}
		krm.Each(len(parts), func(i int) {
			if readers[i] == nil {
				readers[i] = parts[i].read(p.options, shared)
			}
		})
	}
	if err := shared.err(); err != nil {
		return err
	}
	complete(readers, *p.options)
	p.collect(readers)
	p.reportMissingFiles(sources, *p.options)
	return nil
}

// builtHere is the reason why files of a folder below the one that is read are not input.
const builtHere = "written by rplug build"

// open reads the sources and splits them into documents.
func (p *Package) open(sources []Source) error {
	options := p.options
	texts := make([][]byte, len(sources))
	chunks := make([][]chunk, len(sources))
	errs := make([]error, len(sources))
	unread := options.unread(sources)
	krm.Each(len(sources), func(i int) {
		if sources[i].whole == nil && !unread[i] {
			texts[i], chunks[i], errs[i] = sources[i].chunks(options.Input)
		}
	})
	n := 0
	for i := range sources {
		n += max(len(chunks[i]), 1)
	}
	p.parts = make([]part, 0, n)
	for i := range sources {
		source := &sources[i]
		if source.whole != nil {
			p.parts = append(p.parts, part{source: source})
			continue
		}
		if unread[i] {
			p.unread = append(p.unread, source.Path)
			continue
		}
		if errs[i] != nil {
			if err := p.notRead(source, texts[i], errs[i]); err != nil {
				return err
			}
			continue
		}
		if !source.Named && strings.Contains(source.Below, "/") && bytes.HasPrefix(texts[i], []byte(contract.BuildMarker)) {
			p.Skipped = append(p.Skipped, Skipped{File: source.Name, Reason: builtHere})
			continue
		}
		p.texts[source.Name] = texts[i]
		for number, text := range chunks[i] {
			of := source
			if template := text.helmSource(); of.Path == StdinName && template != "" {
				named := *source
				named.Name = StdinName + " (" + template + ")"
				of, p.texts[named.Name] = &named, texts[i]
			}
			p.parts = append(p.parts, part{source: of, chunk: text, number: int32(number)})
		}
	}
	return nil
}

// notRead records why a file cannot be read; the error is one that ends the reading of all.
func (p *Package) notRead(source *Source, text []byte, err error) error {
	var finding *unreadable
	switch {
	case !errors.As(err, &finding):
		return err
	case source.Named || p.options.isMeant(text):
		p.Findings = append(p.Findings, finding.result())
	default:
		p.Skipped = append(p.Skipped, Skipped{File: source.Name, Reason: finding.reason})
	}
	return nil
}

// IsStdin reports whether a name in a place is that of the standard input, which Helm's template may follow.
func IsStdin(file string) bool { return file == StdinName || strings.HasPrefix(file, StdinName+" (") }

// collect adds the results of the readers. An embedded file is part of another document: in a folder, only documents of
// ours in it are kept as separate documents, since they may be delivered, too. Postponed documents are ours, and embed
// nothing.
func (p *Package) collect(readers []*reader) {
	embedded, postponed := map[string]bool{}, 0
	ours := map[string]bool{} // files with documents of ours
	for i, r := range readers {
		if r == nil {
			ours[p.parts[i].source.Name] = true
			if !p.parts[i].isReused {
				postponed++
			}
			continue
		}
		for name, content := range r.embedded {
			embedded[name] = true
			p.texts[name] = content
		}
		maps.Copy(p.texts, r.content.Texts)
		for name := range r.content.Texts {
			p.inImage[name] = r.content.InImage
		}
		ours[r.source.Name] = ours[r.source.Name] || slices.ContainsFunc(r.documents, r.options.isOurs)
	}
	p.Postponed = make([]Postponed, 0, postponed)
	for i, r := range readers {
		if r == nil && p.parts[i].isReused {
			continue
		}
		if r == nil {
			p.Postponed = append(p.Postponed, Postponed{int32(len(p.Documents)), int32(i)})
			continue
		}
		r.finish(ours[r.source.Name])
		if !r.source.Named && embedded[r.source.Path] {
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
