package load

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Postponer decides which documents are not kept, since there may be very many of them and each is needed only once: their
// trees take many times the memory of their texts. Their texts stay, so that a document that is read again is the same even
// if its file has changed, or came from the standard input.
type Postponer interface {
	// MayDefer reports whether any document may be postponed before it is parsed.
	MayDefer() bool
	// Defers reports whether a document may be postponed before it is parsed: its text is valid YAML, and only its names are
	// known. It is called by several goroutines at once.
	Defers(item *krm.Item) bool
	// Postpone reports whether a document need not be kept. It is called by several goroutines at once, for each document that
	// has its own text, embeds nothing, has no problems, and has a value for each of its variables.
	Postpone(d Document) bool
	// Suffices reports, after all documents were read, whether those that are kept are enough. If not, all are.
	Suffices() bool
}

// Postponed is a document that was not kept.
type Postponed struct {
	// Before is the number of kept documents before it.
	Before int32

	part int32 // of the package
}

// Key identifies the text of a document, and how it is read: two documents with the same key have the same meaning.
type Key string

// Reuser knows documents of an earlier run that would be postponed again, and which no one needs.
type Reuser interface {
	// Plan is called with the files before any of them is read, and returns those that need not be read, by their index.
	Plan(files []Source) (unread []bool)
	// Reuse is called once with the documents of all files that are read, in order, and returns those that are known and not
	// needed, by their index.
	Reuse(documents []Keyed) (reused []bool)
}

// Keyed is a document of a file, whose documents are numbered from 0.
type Keyed struct {
	File, Number int
	Key          Key
}

// unread returns which files need not be read, by their index.
func (o *Options) unread(files []Source) []bool {
	if o.Reuse == nil {
		return make([]bool, len(files))
	}
	return o.Reuse.Plan(files)
}

// ErrReused is the error of Read if documents were reused and those that are kept do not suffice.
var ErrReused = errors.New("reused documents are needed")

// part is a part of a source: the text of a document, or all of a source that is read as a whole.
type part struct {
	source *Source
	chunk  chunk

	number   int32 // in the file, from 0
	key      Key   // empty without Options.Reuse
	isReused bool  // it is not read
}

func (p part) read(options *Options, shared *inserts) *reader {
	r := &reader{source: p.source, chunk: p.chunk, key: p.key, options: options, shared: shared}
	if p.source.whole == nil {
		r.places = newPlaces(p.source.Name, p.chunk)
	}
	r.read()
	return r
}

// isDeferred reports whether the document is not parsed before it is needed.
func (p *part) isDeferred(options *Options) bool {
	if options.Postpone == nil || !options.Postpone.MayDefer() {
		return false
	}
	text := p.chunk.text
	if p.source.whole != nil || p.chunk.isJSON || bytes.Contains(text, []byte("{{")) || bytes.Contains(text, []byte("@{")) ||
		len(strictyaml.Separators(text)) > 0 {
		return false // there may be something to report
	}
	item, _ := header(text)
	return item != nil && options.Postpone.Defers(item)
}

// isPostponed reports whether the reader has read a single document that need not be kept. It sets the key of a document
// that could be postponed.
func (r *reader) isPostponed() bool {
	if !r.isSimple() {
		return false
	}
	r.documents[0].Key = r.key
	return r.options.Postpone != nil && r.options.Postpone.Postpone(r.documents[0])
}

// isSimple reports whether the reader has read a single document, with nothing to report and nothing from other files.
func (r *reader) isSimple() bool {
	if r.source.whole != nil || len(r.documents) != 1 || len(r.findings) > 0 || len(r.skipped) > 0 || len(r.embedded) > 0 ||
		r.foreign != "" {
		return false
	}
	d := &r.documents[0]
	return len(d.Problems) == 0 && len(d.Failed) == 0 && len(d.Unset) == 0
}

// Read reads a postponed document: again, or for the first time if it was deferred. The place is that among all documents.
// It returns false if a document that was deferred must be kept: all documents are needed then.
func (p *Package) Read(i int) (d Document, place int, ok bool) {
	of := p.parts[p.Postponed[i].part]
	r := of.read(p.options, &inserts{})
	if !r.isSimple() {
		return Document{}, 0, false
	}
	d = r.documents[0]
	d.Key = of.key
	return d, int(p.Postponed[i].Before) + i, true
}

// reuse gives the parts their keys, and finds those that are reused. It reports whether there are any.
func (p *Package) reuse(sources []Source) (isAny bool) {
	if p.options.Reuse == nil {
		return false
	}
	file := -1
	var source *Source
	var documents []Keyed
	var parts []*part
	for i := range p.parts {
		one := &p.parts[i]
		if one.source.whole != nil || one.source.Path == StdinName {
			continue
		}
		for one.source != source {
			file++
			source = &sources[file]
		}
		parts, documents = append(parts, one), append(documents, Keyed{File: file, Number: int(one.number)})
	}
	krm.Each(len(parts), func(i int) { parts[i].key = parts[i].newKey() })
	for i, one := range parts {
		documents[i].Key = one.key
	}
	for i, isReused := range p.options.Reuse.Reuse(documents) {
		parts[i].isReused = isReused
		isAny = isAny || isReused
	}
	return isAny || len(p.unread) > 0
}

// newKey returns the key of a document: the hash of its text, and of the properties that decide how it is read.
func (p *part) newKey() Key {
	sum := sha256.New()
	_, _ = fmt.Fprintf(sum, "%t %t\n", p.source.Named, p.chunk.isJSON)
	_, _ = sum.Write(bytes.TrimPrefix(p.chunk.text, []byte("---\n"))) // the first one of a file may lack that
	return Key(sum.Sum(nil))
}

// Reusable calls yield with each file that was read and all of whose documents have keys, and with these.
func (p *Package) Reusable(yield func(file string, keys []Key)) {
	for parts := p.parts; len(parts) > 0; {
		n := 1
		for n < len(parts) && parts[n].source == parts[0].source {
			n++
		}
		keys := make([]Key, 0, n)
		for _, one := range parts[:n] {
			if one.key != "" {
				keys = append(keys, one.key)
			}
		}
		if len(keys) == n {
			yield(parts[0].source.Path, keys)
		}
		parts = parts[n:]
	}
}

// All returns the package with all documents, from the texts that were read.
func (p *Package) All() (*Package, error) {
	if len(p.Postponed) == 0 {
		return p, nil
	}
	return p.again()
}

// readAgain returns All of a package that was opened.
func readAgain(opened Package, sources []Source) func() (*Package, error) {
	options := *opened.options
	options.Postpone, options.Reuse, options.Progress = nil, nil, nil
	opened.Findings, opened.Skipped = slices.Clone(opened.Findings), slices.Clone(opened.Skipped)
	opened.Documents = slices.Clone(opened.Documents)
	return func() (*Package, error) {
		p := opened
		p.options, p.texts, p.inImage = &options, maps.Clone(opened.texts), maps.Clone(opened.inImage)
		return &p, p.read(sources)
	}
}
