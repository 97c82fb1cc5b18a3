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
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// lockFile is the document that --write-lock updates.
type lockFile struct {
	item   *krm.Item // nil if it does not exist yet
	before []byte
}

// openLock opens the file of --write-lock before the documents are read: if two commands update the same lock, the second
// one reads the lock that the first one wrote. It returns nil without --write-lock.
func (p *Pins) openLock(ctx context.Context) (*atomicfile.Update, error) {
	if p.WriteLock == "" {
		return nil, nil
	}
	update, err := atomicfile.OpenUpdate(ctx, p.WriteLock, nil)
	if err != nil {
		return nil, fmt.Errorf("--write-lock: %w", err)
	}
	return update, nil
}

// readLock finds the lock to update among the documents that were read, or else reads it. It must be the only lock, and
// the only document in its file. The result is nil without --write-lock.
func (p *Pins) readLock(read *load.Package) (*lockFile, error) {
	if p.WriteLock == "" {
		return nil, nil
	}
	target, err := os.Stat(p.WriteLock)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("--write-lock: %w", err)
	}
	isTarget := func(d load.Document) bool {
		info, err := os.Stat(d.Item.PlaceOf("").File)
		return err == nil && os.SameFile(info, target)
	}
	if target != nil && !slices.ContainsFunc(read.Documents, isTarget) {
		own, err := load.Read([]string{p.WriteLock}, load.Options{})
		if err != nil {
			return nil, err
		}
		read.Documents, read.Findings = append(read.Documents, own.Documents...), append(read.Findings, own.Results()...)
	}
	item, err := p.onlyLock(read.Documents, isTarget)
	if item == nil || err != nil {
		return &lockFile{}, err
	}
	before, err := item.Bytes()
	return &lockFile{item, before}, err
}

// onlyLock returns the lock among documents; nil if they contain no lock.
func (p *Pins) onlyLock(documents []load.Document, isTarget func(load.Document) bool) (lock *krm.Item, err error) {
	for _, d := range documents {
		switch isLock, isOwn := d.Item.Kind() == p.LockKind, isTarget(d); {
		case isLock && !isOwn:
			return nil, fmt.Errorf("--write-lock must be the only lock, but %s has a %s, too", d.Item.PlaceOf("").File, p.LockKind)
		case isOwn && (!isLock || lock != nil):
			return nil, fmt.Errorf("--write-lock must be a file with one %s and nothing else, not %q", p.LockKind, p.WriteLock)
		case isOwn:
			lock = d.Item
		}
	}
	return lock, nil
}

// write writes the lock if it has changed, and returns a message about the result.
func (p *Pins) write(list *krm.ResourceList, lock *lockFile, update *atomicfile.Update) (done string, err error) {
	if lock.item == nil {
		for _, item := range list.Items() {
			if item.Kind() == p.LockKind {
				lock.item = item
			}
		}
	}
	if lock.item == nil {
		return p.WriteLock + " is not written: no sandbox refers to a plugin, and no request asks for a package", nil
	}
	after, err := lock.item.Bytes()
	if err != nil {
		return "", err
	}
	if bytes.Equal(after, lock.before) {
		return p.WriteLock + " is up to date", nil
	}
	if err := update.Write(after); err != nil {
		return "", fmt.Errorf("--write-lock: %w", err)
	}
	return "wrote " + p.WriteLock, nil
}

// endWithLock writes the lock if there is no error, and ends the run: the findings and a message about the lock go to
// stderr.
func (p *Pins) endWithLock(r *run, c *checked, lock *lockFile, update *atomicfile.Update) int {
	if update == nil {
		return r.end(c.results, true, c.summary)
	}
	if c.results.Failed() {
		return r.end(c.results, true, "nothing written: fix the errors above")
	}
	done, err := p.write(c.list, lock, update)
	if err != nil {
		return r.fail(err)
	}
	code := r.end(c.results, true, c.summary)
	Complain(r.stderr, r.Command, done)
	return code
}
