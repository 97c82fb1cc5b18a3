package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/atomicfile"
	"github.com/resource-plugins/krm-functions/internal/edit"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/report"
)

// Pins is the mode that writes the pins into the files of the documents, with --write, and to the lock, with --write-lock.
// The lock is that of the list; the function changes it, or adds one if Call.WriteLock is set.
type Pins struct {
	Write     bool   `json:"write" help:"write the pins into the files, and print nothing"`
	WriteLock string `json:"writeLock" arg:"FILE" help:"make or update the lock, and print nothing"`

	// LockKind is the kind of the lock.
	LockKind string
}

func (p *Pins) flags() []Field { return fieldsOf(p) }

func (p *Pins) isAsked() bool { return p.Write || p.WriteLock != "" }

func (p *Pins) check(r *run) error {
	keepsInputs := r.flags.Changed("keep-inputs")
	switch {
	case p.WriteLock == load.Stdin:
		return errors.New("--write-lock must be a file")
	case p.Write && keepsInputs:
		return errors.New("--write must be without --keep-inputs: nothing is printed")
	case p.WriteLock != "" && keepsInputs:
		return errors.New("--write-lock must be without --keep-inputs: nothing but the lock is written")
	}
	return nil
}

// run reports the changes on stderr, and writes nothing to stdout. A lock is written after the pinned documents were read
// again: they may have no place to record the requested references.
func (p *Pins) run(ctx context.Context, r *run) int {
	update, err := p.openLock(ctx)
	if err != nil {
		return r.fail(err)
	}
	if update != nil {
		defer update.Close()
	}
	var lock *lockFile
	var references []*Pinned
	with := steps{writesLock: update != nil, read: func(read *load.Package) (err error) {
		if p.Write {
			references = References(read, r.Extensions)
		}
		lock, err = p.readLock(read)
		return err
	}}
	c, err := r.readAndProcess(with)
	if err != nil {
		return r.fail(err)
	}
	if c.results.Failed() {
		return r.end(c.results, true, "nothing written: fix the errors above")
	}
	done := &written{}
	if p.Write {
		err := done.write(ctx, c.read, references, update.Lock())
		_, _ = done.lines.WriteTo(r.stderr)
		if err != nil {
			return r.fail(err)
		}
		summary := c.summary + fmt.Sprintf("; wrote %s to %s",
			report.Count(done.pinned, "pin"), report.Count(done.changed, "file"))
		if update != nil && done.changed > 0 {
			if c, err = r.readAndProcess(with); err != nil {
				return r.fail(err)
			}
		}
		c.summary = summary
	}
	code := p.endWithLock(r, c, lock, update)
	if done.skipped > 0 {
		return max(code, ExitFindings)
	}
	return code
}

// Why a document is not pinned in place.
const (
	errEmbedded = atomicfile.SkipError("it must be in the file itself, not in one that is embedded")
	errStdin    = atomicfile.SkipError("it must be in a file: the standard input cannot be changed")
	errBuilt    = atomicfile.SkipError("it must be in a file that is read: what a kustomization builds cannot be changed")
)

// written is the result of --write.
type written struct {
	lines           bytes.Buffer
	pinned, skipped int
	changed         int // files
}

// write writes the pins of all documents into their files. A document that cannot be pinned stays as it is, and is named.
func (d *written) write(ctx context.Context, read *load.Package, documents []*Pinned, held *atomicfile.FolderLock) error {
	byFile := map[string][]*Pinned{}
	for _, p := range documents {
		if p.isChanged() {
			byFile[p.object.File] = append(byFile[p.object.File], p)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byFile)) {
		if err := d.file(ctx, read, name, byFile[name], held); err != nil {
			return err
		}
	}
	return nil
}

// file pins the documents of a file.
func (d *written) file(
	ctx context.Context, read *load.Package, name string, documents []*Pinned, held *atomicfile.FolderLock,
) error {
	before := read.Text(name)
	change, err := edit.NewChange(name, before)
	switch {
	case load.IsStdin(name):
		err = errStdin
	case before == nil:
		err = errBuilt
	case read.IsInImage(name):
		err = errInImage
	}
	if err != nil {
		d.refuse(documents, err)
		return nil
	}
	var made []*Pinned
	var lines []string
	for _, p := range documents {
		own, err := p.Change(change)
		if err != nil {
			d.refuse([]*Pinned{p}, err)
			continue
		}
		made, lines = append(made, p), append(lines, own...)
	}
	after, err := change.Bytes()
	if err == nil && !bytes.Equal(before, after) {
		err = atomicfile.Rewrite(ctx, name, before, after, held)
		d.changed++
	}
	var skip atomicfile.SkipError
	switch {
	case errors.As(err, &skip) || err != nil && after == nil:
		d.refuse(made, err)
		return nil
	case err != nil:
		return err
	}
	for _, line := range lines {
		fmt.Fprintln(&d.lines, report.Printable(line))
	}
	d.pinned += len(lines)
	return nil
}

// refuse names documents that are not pinned in place.
func (d *written) refuse(documents []*Pinned, err error) {
	for _, p := range documents {
		place := p.object.File
		if p.object.Line > 0 {
			place = fmt.Sprintf("%s:%d", place, p.object.Line)
		}
		line := fmt.Sprintf("not pinned: %s: %s %s: %s", place, p.item.Kind(), p.item.Name(), err)
		fmt.Fprintln(&d.lines, report.Printable(line))
	}
	d.skipped += len(documents)
}
