package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/atomicfile"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// lockFile is the document that --write-lock updates.
type lockFile struct {
	item   *krm.Item // nil if there is none yet
	before []byte
}

// openLock opens the file of --write-lock before the documents are read: of two commands that update one lock, the second
// reads what the first has written. It is nil without --write-lock.
func (r *run) openLock(ctx context.Context) (*atomicfile.Update, error) {
	if r.WriteLock == "" {
		return nil, nil
	}
	update, err := atomicfile.OpenUpdate(ctx, r.WriteLock, nil)
	if err != nil {
		return nil, fmt.Errorf("--write-lock: %w", err)
	}
	return update, nil
}

// readLock finds the lock that is to be updated among the documents that were read, or reads it, too. It must be the only
// lock, and alone in its file. It is nil without --write-lock.
func (r *run) readLock(read *load.Package) (*lockFile, error) {
	if r.WriteLock == "" {
		return nil, nil
	}
	target, err := os.Stat(r.WriteLock)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("--write-lock: %w", err)
	}
	isTarget := func(d load.Document) bool {
		info, err := os.Stat(d.Item.PlaceOf("").File)
		return err == nil && os.SameFile(info, target)
	}
	if target != nil && !slices.ContainsFunc(read.Documents, isTarget) {
		own, err := load.Read([]string{r.WriteLock}, load.Options{})
		if err != nil {
			return nil, err
		}
		read.Documents, read.Findings = append(read.Documents, own.Documents...), append(read.Findings, own.Results()...)
	}
	item, err := r.onlyLock(read.Documents, isTarget)
	if item == nil || err != nil {
		return &lockFile{}, err
	}
	before, err := item.Bytes()
	return &lockFile{item, before}, err
}

// onlyLock returns the lock among documents, nil if there is none.
func (r *run) onlyLock(documents []load.Document, isTarget func(load.Document) bool) (lock *krm.Item, err error) {
	for _, d := range documents {
		switch isLock, isOwn := d.Item.Kind() == r.LockKind, isTarget(d); {
		case isLock && !isOwn:
			return nil, fmt.Errorf("--write-lock must be the only lock, but %s has a %s, too", d.Item.PlaceOf("").File, r.LockKind)
		case isOwn && (!isLock || lock != nil):
			return nil, fmt.Errorf("--write-lock must be a file with one %s and nothing else, not %q", r.LockKind, r.WriteLock)
		case isOwn:
			lock = d.Item
		}
	}
	return lock, nil
}

// writeLock writes the lock, if it has changed, and returns what was done.
func (r *run) writeLock(c *checked, update *atomicfile.Update) (done string, err error) {
	if c.lock.item == nil {
		for _, item := range c.list.Items() {
			if item.Kind() == r.LockKind {
				c.lock.item = item
			}
		}
	}
	if c.lock.item == nil {
		return r.WriteLock + " is not written: no sandbox refers to a plugin, and no request asks for a package", nil
	}
	after, err := c.lock.item.Bytes()
	if err != nil {
		return "", err
	}
	if bytes.Equal(after, c.lock.before) {
		return r.WriteLock + " is up to date", nil
	}
	if err := update.Write(after); err != nil {
		return "", fmt.Errorf("--write-lock: %w", err)
	}
	return "wrote " + r.WriteLock, nil
}

// endWithLock ends a run with --write-lock: the findings and what was done go to stderr, and nothing to stdout.
func (r *run) endWithLock(c *checked, update *atomicfile.Update) int {
	if c.results.Failed() {
		return r.end(c.results, true, "nothing written: fix the errors above")
	}
	done, err := r.writeLock(c, update)
	if err != nil {
		return r.fail(err)
	}
	code := r.end(c.results, true, c.summary)
	_, _ = fmt.Fprintf(r.stderr, "%s: %s\n", r.Command, report.Printable(done))
	return code
}
