package cli

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/incremental"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Mode is an operation of file mode on documents, such as printing objects, reporting findings or writing pins. The
// fields of its struct with a `json` tag are flags.
type Mode interface {
	// flags returns the mode's flags, with their defaults.
	flags() []Field
	// isAsked reports whether a flag asks for the mode in place of the function's first one.
	isAsked() bool
	// check refuses values and combinations of flags that have no meaning.
	check(r *run) error
	// run reads the documents, works on them, and returns the exit code.
	run(ctx context.Context, r *run) int
}

// mode returns the mode that the flags ask for.
func (r *run) mode() Mode {
	if i := slices.IndexFunc(r.modes, Mode.isAsked); i >= 0 {
		return r.modes[i]
	}
	return r.modes[0]
}

// isLinter reports whether the function only reports findings.
func (r *run) isLinter() bool {
	_, reports := r.modes[0].(*Findings)
	return reports
}

// steps are the steps that a mode adds to reading documents and to running the function on them.
type steps struct {
	// exclude are patterns of files that are not read.
	exclude []load.Exclusion
	// read is called with the documents that were read; it may be nil.
	read func(*load.Package) error
	// process runs in place of the function, on any documents; nil for the function.
	process func(Call) (summary string, err error)
	// writesLock is Call.WriteLock.
	writesLock bool
	// newSink returns the sink for the objects to print while documents are processed a part at a time; kept are those in a
	// list. It is nil if all documents must be in the list in the end.
	newSink func(read *load.Package, kept *krm.ResourceList) sink
	// cache has the files that an earlier run has rendered; nil if nothing is reused.
	cache *incremental.Cache
	// now and base have the checks of an earlier run, of the current and of the older state; nil if nothing is reused.
	now, base *incremental.Checks
}

// Printing is the mode that prints the resulting documents, without local-config ones.
type Printing struct {
	KeepInputs bool `json:"keepInputs" help:"print local-config documents too"`

	// Rendered prints only the objects that the function has rendered (see Call.SetRendered), unless the inputs are kept.
	Rendered bool
	// Edited means that the function changes documents, and neither adds nor removes any.
	Edited bool
}

func (p *Printing) flags() []Field {
	fields := fieldsOf(p)
	if p.Rendered {
		fields[0].Help = "print the documents that were read, too"
	}
	return fields
}

func (*Printing) isAsked() bool    { return false }
func (*Printing) check(*run) error { return nil }

func (p *Printing) run(_ context.Context, r *run) int {
	with := steps{}
	switch {
	case p.Rendered && !p.KeepInputs:
		with = r.printing()
	case p.Edited && len(r.Kustomize) == 0: // the output of kustomize is not read again
		with.newSink = func(read *load.Package, kept *krm.ResourceList) sink {
			return &edited{printed: printed{run: r, withInputs: p.KeepInputs}, read: read, list: kept}
		}
	}
	c, err := r.readAndProcess(with)
	if err != nil {
		return r.fail(err)
	}
	items := c.list.Items()
	if text, ok := c.sink.(*edited); ok {
		return text.print(c)
	}
	switch {
	case p.KeepInputs:
	case p.Rendered:
		return r.printObjects(c)
	default:
		isInput := func(item *krm.Item) bool { return !c.rendered[item] && !r.isForCluster(item) }
		items = slices.DeleteFunc(slices.Clone(items), isInput)
	}
	return r.printItems(c, items)
}

// separator is between documents.
const separator = "---\n"

// printing are the steps to print rendered objects and nothing else.
func (r *run) printing() steps {
	return steps{newSink: func(*load.Package, *krm.ResourceList) sink { return &printed{run: r} }}
}

// printObjects prints the rendered objects.
func (r *run) printObjects(c *checked) int {
	if text, ok := c.sink.(*printed); ok {
		return text.print(c)
	}
	return r.printItems(c, r.objects(c))
}

// printItems prints documents, or the text that the function prints in place of them.
func (r *run) printItems(c *checked, items []*krm.Item) int {
	if c.results.Failed() || c.text != nil {
		return r.printText(c, c.text)
	}
	out := make(documents, len(items))
	for i, item := range items {
		text, err := item.Bytes()
		if err != nil {
			return r.fail(err)
		}
		out[i] = text
	}
	return r.finish(c, out, true)
}

// documents are texts of YAML documents: those of items, which are not copied, since there may be very many.
type documents [][]byte

// WriteTo implements io.WriterTo.
func (d documents) WriteTo(w io.Writer) (written int64, err error) {
	out := bufio.NewWriterSize(w, 1<<16)
	for i, text := range d {
		if i > 0 {
			n, _ := out.WriteString(separator) // an error is that of the next Write, too
			written += int64(n)
		}
		n, err := out.Write(text)
		written += int64(n)
		if err != nil {
			return written, err
		}
	}
	return written, out.Flush()
}

// printText prints a text unless there is an error.
func (r *run) printText(c *checked, text []byte) int {
	if c.results.Failed() {
		text, c.summary = nil, "nothing printed: fix the errors above"
	}
	return r.finish(c, bytes.NewBuffer(text), true)
}

// finish writes to stdout, and ends the run.
func (r *run) finish(c *checked, out io.WriterTo, withFindings bool) int {
	if err := r.stdout.writeAll(out); err != nil {
		return r.fail(err)
	}
	r.listSkipped(c)
	return r.end(c.results, withFindings, c.summary)
}

// Page is the mode that prints a page about a run, with errors or without.
type Page struct {
	// Text returns the page.
	Text func(config Config, run Run) ([]byte, error)
}

// Run is the run that a page describes.
type Run struct {
	// Report has the documents and the findings.
	*report.Report
	// Paths are the arguments, and Objects the rendered objects: none if there is an error.
	Paths   []string
	Objects []*krm.Item
}

func (*Page) flags() []Field   { return nil }
func (*Page) isAsked() bool    { return false }
func (*Page) check(*run) error { return nil }

func (p *Page) run(_ context.Context, r *run) int {
	c, err := r.readAndProcess(steps{})
	if err != nil {
		return r.fail(err)
	}
	about := Run{Report: r.report(c, false), Paths: slices.Concat(r.paths, r.Kustomize)}
	if !c.results.Failed() {
		about.Objects = r.objects(c)
	}
	text, err := p.Text(r.config, about)
	if err != nil {
		return r.fail(err)
	}
	return r.finish(c, bytes.NewBuffer(text), true)
}

// checkFormat refuses an unknown format of findings.
func checkFormat(format string) error {
	if formats := report.Formats(); !slices.Contains(formats, format) {
		return fmt.Errorf("--output must be one of %q, not %q", formats, format)
	}
	return nil
}
