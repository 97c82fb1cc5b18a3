package cli

import (
	"errors"
	"io"
	"sync"

	"github.com/resource-plugins/krm-functions/internal/atomicfile"
	"github.com/resource-plugins/krm-functions/internal/incremental"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Splitter is a config whose function can work on the sandboxes of very many documents a part at a time, so that neither all
// of their trees nor all rendered objects are in memory.
type Splitter interface {
	// Split returns the processor for the parts; nil if the values of the config require all documents at once. The cache
	// may be nil; with a cache, the processor is a load.Reuser.
	Split(cache *incremental.Cache) PartsProcessor
}

// PartsProcessor decides which documents are postponed, and processes parts of them.
type PartsProcessor interface {
	load.Postponer
	// ProcessParts is Config.Process for documents of which some are postponed: those are not in the list of the call. It
	// returns false if the objects or the findings require all documents at once; its work must have no effect then.
	ProcessParts(call Call, documents Postponed) (summary string, done bool, err error)
}

// Postponed are the documents that are not in the list of a call.
type Postponed struct {
	Len int
	// Read is load.Package.Read.
	Read func(i int) (d load.Document, place int, ok bool)
	// Print prints rendered objects, unless there is an error in the end: those that belong to no sandbox in particular before
	// all others, in each file.
	Print func(shared, others []*krm.Item) error
}

// sink receives rendered objects while documents are processed a part at a time.
type sink interface {
	// add adds objects: those that belong to no sandbox in particular, and others.
	add(shared, others []*krm.Item) error
	close() error
}

// printed receives rendered objects as text. It is spooled, since an error in the last document must leave stdout empty: to
// render everything twice, first to find errors and then to print, would take twice the time.
type printed struct {
	run        *run
	withInputs bool // also those that are not meant to be applied
	shared     documents
	others     atomicfile.Spool
}

func (p *printed) add(shared, others []*krm.Item) error {
	if !p.withInputs {
		shared, others = p.run.forCluster(shared), p.run.forCluster(others)
	}
	for _, item := range shared {
		text, err := item.Bytes()
		if err != nil {
			return err
		}
		p.shared = append(p.shared, text)
	}
	for _, item := range others {
		text, err := item.Bytes()
		if err == nil && p.others.Len() > 0 {
			_, err = io.WriteString(&p.others, separator)
		}
		if err == nil {
			_, err = p.others.Write(text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *printed) close() error { return p.others.Close() }

// print prints the objects, unless there is an error.
func (p *printed) print(c *checked) int {
	defer func() { _ = p.close() }()
	if c.results.Failed() {
		return p.run.printText(c, nil)
	}
	return p.run.finish(c, p, true)
}

// WriteTo implements io.WriterTo.
func (p *printed) WriteTo(w io.Writer) (int64, error) {
	written, err := p.shared.WriteTo(w)
	if err != nil || p.others.Len() == 0 {
		return written, err
	}
	if written > 0 {
		if _, err := io.WriteString(w, separator); err != nil {
			return written, err
		}
	}
	n, err := p.others.WriteTo(w)
	return written + n, err
}

// edited receives the documents that were postponed, once they are edited, and prints those of the list between them.
type edited struct {
	printed
	read *load.Package
	list *krm.ResourceList

	kept, postponed int // so many were printed
}

func (e *edited) add(_, documents []*krm.Item) error {
	for _, item := range documents {
		if err := e.addBefore(int(e.read.Postponed[e.postponed].Before), item); err != nil {
			return err
		}
		e.postponed++
	}
	return nil
}

// addBefore prints the documents of the list before one of them, and others.
func (e *edited) addBefore(end int, others ...*krm.Item) error {
	from := e.kept
	e.kept = end
	return e.printed.add(nil, append(e.list.Items()[from:end:end], others...))
}

// print prints all documents, unless there is an error.
func (e *edited) print(c *checked) int {
	if err := e.addBefore(len(e.list.Items())); err != nil {
		return e.run.fail(errors.Join(err, e.close()))
	}
	return e.printed.print(c)
}

// noObjects is for functions that only report findings.
type noObjects struct{}

func (noObjects) add(_, _ []*krm.Item) error { return nil }
func (noObjects) close() error               { return nil }

// fewReused is how many sandboxes are processed beside reused ones without a limit of garbage, and fewTexts how many in all
// with that of trees.
const (
	fewReused = 1000
	fewTexts  = 20_000
)

// parts returns the processor for the parts of the documents; nil if they are needed at once.
func (r *run) parts(with steps) PartsProcessor {
	config, ok := r.config.(Splitter)
	if !ok || with.newSink == nil || r.Base != "" || r.BaseRef != "" {
		return nil
	}
	return config.Split(with.index())
}

// index returns the cache of an earlier run that rendered or checked the documents; nil if nothing is reused.
func (s steps) index() *incremental.Cache {
	if s.now != nil {
		return s.now.Cache
	}
	return s.cache
}

// postponer limits the garbage once a document is postponed. Before that, trees stay, and collecting takes time in vain.
type postponer struct {
	load.Postponer
	limit func() // called by several goroutines at once, for each document
}

func newPostponer(parts PartsProcessor, index *incremental.Cache) load.Postponer {
	if index.HasIndex() {
		return parts
	}
	return postponer{parts, sync.OnceFunc(func() { LimitGarbage(GrowthOfTexts) })}
}

// Defers implements load.Postponer.
func (p postponer) Defers(item *krm.Item) bool { return p.limited(p.Postponer.Defers(item)) }

// Postpone implements load.Postponer.
func (p postponer) Postpone(d load.Document) bool { return p.limited(p.Postponer.Postpone(d)) }

func (p postponer) limited(isPostponed bool) bool {
	if isPostponed {
		p.limit()
	}
	return isPostponed
}

// processParts processes the documents a part at a time. It returns nil if they must be processed at once.
func (r *run) processParts(read *load.Package, parts PartsProcessor, with steps) (_ *checked, err error) {
	if len(read.Postponed) == 0 {
		return nil, nil
	}
	switch n := len(read.Postponed); {
	case n > fewTexts:
		LimitGarbage(GrowthOfTexts)
	case n > fewReused:
		LimitGarbage(GrowthOfTrees)
	}
	call := r.newCall(read, false)
	call.Reused = with.now.Reused()
	found := read.Results()
	call.found = &found
	c := &checked{read: read, list: call.List, rendered: call.rendered, sink: with.newSink(read, call.List)}
	var done bool
	c.summary, done, err = parts.ProcessParts(call, Postponed{
		Len: len(read.Postponed), Read: read.Read, Print: c.sink.add,
	})
	if err != nil || !done {
		r.suppressed = nil
		return nil, errors.Join(err, c.sink.close())
	}
	r.complete(c, call, found)
	c.results, c.summary = r.suppress(c.list, c.results), r.withSkipped(c)
	if with.cache.IsReused() && c.results.Failed() {
		return nil, c.sink.close()
	}
	return c, nil
}
