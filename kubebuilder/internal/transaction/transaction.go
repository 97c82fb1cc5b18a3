// Package transaction changes several files of a folder, all of them or none, whatever ends the process. Its main type is
// Transaction:
//
//	changes, err := transaction.Begin(ctx, folder, transaction.Options{})
//	defer changes.End()
//	changes.Replace("go.mod", before, after)
//	err = changes.Commit()
//
// New contents are written to a folder below StateFolder first. Writing the plan is the moment of the commit: after it, a
// process that is killed has changed some files, and the next Begin changes the others. Before it, nothing is changed. The
// plan is kept in the user's cache folder, and never in the folder of the files: a cloned repository could contain one.
package transaction

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/atomicfile"
)

// Transaction is a set of changes. A lock keeps other processes away from its folder until End. No path leads out of the
// folder or through a link.
type Transaction struct {
	root    *os.Root
	lock    *atomicfile.FolderLock
	plans   plans
	guarded context.Context
	changes []change
	content map[string][]byte // by path; nil for those that are removed
	before  map[string][]byte // by path; nil for those that do not exist
	options Options
	// Recovered reports that a transaction which was interrupted has been completed or undone.
	Recovered bool
}

// Options are the options of Begin.
type Options struct {
	// DryRun writes nothing: an interrupted transaction is an error, and so is Commit.
	DryRun bool
}

// Begin locks a folder, and completes or undoes a transaction of this user that was interrupted there.
func Begin(ctx context.Context, folder string, options Options) (*Transaction, error) {
	lock, err := atomicfile.LockFolder(ctx, folder)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		lock.Unlock()
		return nil, err
	}
	t := &Transaction{
		root: root, lock: lock, guarded: ctx, options: options,
		content: map[string][]byte{}, before: map[string][]byte{},
	}
	if t.plans, err = plansOf(folder); err == nil {
		err = t.recover()
	}
	if err != nil {
		t.End()
		return nil, err
	}
	return t, nil
}

// recover finishes an interrupted transaction, if the user's cache has a plan of one.
func (t *Transaction) recover() error {
	p, err := t.plans.read()
	if err != nil {
		return err
	}
	j := journal{root: t.root, plans: t.plans}
	// Without the folders, another tree has replaced that of the plan.
	isUsable := p != nil && j.isFolder(StateFolder) && j.isFolder(p.Stage)
	switch {
	case t.options.DryRun && isUsable:
		return errors.New("a command was interrupted while it changed files: call without --dry-run, which completes the changes")
	case t.options.DryRun:
		return nil
	case !isUsable:
		return errors.Join(t.plans.remove(), j.sweep())
	}
	j.plan = *p
	t.Recovered = true
	return atomicfile.Uninterrupted(t.guarded, j.resume)
}

// End releases the folder. Uncommitted changes are dropped.
func (t *Transaction) End() {
	_ = t.root.Close()
	t.lock.Unlock()
}

// Replace plans a new content of a file, whose path has slashes. before is the content that the caller has read, nil if
// there was no file: if another process changes the file until the commit, that fails. after is nil if the file is removed.
func (t *Transaction) Replace(name string, before, after []byte) {
	if bytes.Equal(before, after) && (before == nil) == (after == nil) {
		return
	}
	t.before[name], t.content[name] = before, after
	t.changes = slices.DeleteFunc(t.changes, func(c change) bool { return c.Path == name })
	t.changes = append(t.changes, change{Path: name, Before: digest(before), After: digest(after)})
}

// Check returns an error if the changes cannot be made where they are planned: a path that leads elsewhere on some operating
// system, one below a link, or a new name beside one that differs in case only.
func (t *Transaction) Check() error {
	slices.SortFunc(t.changes, func(a, b change) int { return cmpPaths(a.Path, b.Path) })
	return checkPlaces(t.root, t.changes)
}

// Commit makes the changes. With an error nothing is changed, unless the error says so. It must not be called twice.
func (t *Transaction) Commit() error {
	if len(t.changes) == 0 {
		return nil
	}
	if t.options.DryRun {
		return errors.New("a dry run must not change files")
	}
	if err := t.plans.check(); err != nil {
		return err
	}
	if err := t.Check(); err != nil {
		return err
	}
	return atomicfile.Uninterrupted(t.guarded, t.commit)
}

func (t *Transaction) commit() error {
	j := journal{root: t.root, plans: t.plans, plan: plan{Root: t.plans.root, Changes: t.changes}}
	err := j.create()
	for i := range t.changes {
		if err == nil {
			err = t.stage(j, i)
		}
	}
	if err == nil {
		err = t.plans.write(j.plan)
	}
	if err != nil {
		return errors.Join(err, j.remove())
	}
	return j.apply()
}

// stage writes the new content of a file to the journal and keeps the old one there.
func (t *Transaction) stage(j journal, i int) error {
	c := &t.changes[i]
	now, mode, err := read(t.root, c.Path)
	if err != nil {
		return err
	}
	if digest(now) != c.Before {
		return fmt.Errorf("%s was changed meanwhile: call again", c.Path)
	}
	if c.Before == "" {
		mode = newMode
	} else if err := j.write(j.oldFile(i), now, mode); err != nil {
		return err
	}
	if c.After == "" {
		return nil
	}
	return j.write(j.newFile(i), t.content[c.Path], mode)
}

// newMode is the mode of files that did not exist; that of others stays.
const newMode = 0o644

// read returns the content of a regular file and its mode, nil if it does not exist.
func read(root *os.Root, name string) ([]byte, fs.FileMode, error) {
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("%s must be a regular file", name)
	}
	content, err := root.ReadFile(name)
	if content == nil {
		content = []byte{}
	}
	return content, info.Mode().Perm(), err
}

// cmpPaths orders paths so that a file is removed before a folder of its name is made.
func cmpPaths(a, b string) int {
	return slices.Compare([]byte(path.Clean(a)), []byte(path.Clean(b)))
}
