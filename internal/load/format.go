package load

import (
	"errors"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Format describes the input that is read in addition to documents of our group: files or folders that are read as a whole,
// from which documents are made, and documents of other API groups. A zero field adds nothing.
type Format struct {
	// Groups are the API groups of its documents. In folders, a problem of such a document is a finding, as with documents
	// of our group; documents of other groups are not read by any function.
	Groups []Group
	// Find returns how a file or a folder is read, nil if it does not have the form. It is called with the paths of Read,
	// but for Stdin, and in folders with the files that may hold documents and with the folders.
	Find func(s Source, options Options) *Whole
	// Complete returns the documents of a file that no format reads as a whole, changed or with further ones.
	Complete func(s Source, documents []Document, options Options) []Document
}

// Group is an API group.
type Group struct {
	Name string
	// Kinds are the kinds of documents; nil if they are all that the group has.
	Kinds []string
}

// Has reports whether an item is a document of the format, in any version.
func (f Format) Has(item *krm.Item) bool {
	group, _, _ := strings.Cut(item.APIVersion(), "/")
	return slices.ContainsFunc(f.Groups, func(g Group) bool {
		return g.Name == group && (g.Kinds == nil || slices.Contains(g.Kinds, item.Kind()))
	})
}

// Whole is a file or a folder that is read as a whole.
type Whole struct {
	// Read reads it. It is called once, while other files are read.
	Read func() Content
	// Parts are the paths of other files that it reads, which are not read by themselves.
	Parts []string
	// Beside reports that the files of the folder are read, too.
	Beside bool
}

// Content holds the documents and the findings of a file or a folder.
type Content struct {
	Documents []Document
	// Findings are the problems of the file or folder.
	Findings krm.Results
	// Texts are the texts of the files that places name.
	Texts map[string][]byte
	// InImage reports that these files are part of an image, so that they cannot be changed.
	InImage bool
}

// OnDisk reports whether the files are those of the machine, not of an older state.
func (o Options) OnDisk() bool { return o.Files == (disk{}) }

// complete lets the formats complete the documents of each file. No reader, nil, is that of a postponed document.
func complete(readers []*reader, options Options) {
	var file []*reader // with documents that were kept
	for _, r := range readers {
		if r == nil {
			continue
		}
		if len(file) > 0 && file[0].source.Name != r.source.Name {
			completeFile(file, options)
			file = nil
		}
		if r.source.whole == nil {
			file = append(file, r)
		}
	}
	if len(file) > 0 {
		completeFile(file, options)
	}
}

// completeFile lets the formats complete the documents of the readers of a file. They stay where they are if there are no
// more of them.
func completeFile(file []*reader, options Options) {
	var all []Document
	for _, r := range file {
		all = append(all, r.documents...)
	}
	n := len(all)
	for _, format := range options.Formats {
		if format.Complete != nil {
			all = format.Complete(*file[0].source, all, options)
		}
	}
	hasMore := len(all) != n
	for _, r := range file {
		if n = len(r.documents); hasMore {
			n = 0
		}
		r.documents, all = all[:n:n], all[n:]
	}
	file[len(file)-1].documents = append(file[len(file)-1].documents, all...)
}

// Objects reads the Kubernetes objects of a file that is part of a whole. Everything else in it is a finding.
func Objects(file string, text []byte, options Options) ([]Document, krm.Results) {
	chunks, err := chunksOf(file, text)
	var unread *unreadable
	if errors.As(err, &unread) {
		return nil, krm.Results{unread.result()}
	}
	var documents []Document
	var findings krm.Results
	for _, text := range chunks {
		r := &reader{
			source: &Source{Name: file, Path: file, Named: true, objectsOnly: true}, chunk: text, options: &options,
			places: newPlaces(file, text),
		}
		r.readText()
		documents, findings = append(documents, r.documents...), append(findings, r.findings...)
	}
	return documents, findings
}
