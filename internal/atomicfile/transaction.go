package atomicfile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
)

// Transaction changes several files of a folder, all of them or none. New contents are written to a journal in the folder
// first. The rename of the journal's plan is the moment of the commit: after it, a process that is killed has changed some
// files, and the next Begin changes the others. Before it, nothing is changed. If a change fails after it, those that were
// made are undone. A lock keeps other processes away meanwhile.
//
// No path leads out of the folder, not even through a link: all work is done by an os.Root.
type Transaction struct {
	root    *os.Root
	lock    *FolderLock
	changes []change
	content map[string][]byte // by path; nil for those that are removed
	before  map[string][]byte // by path; nil for those that do not exist
	// Recovered reports that a transaction which was interrupted has been completed or undone.
	Recovered bool
}

// change is one entry of the plan.
type change struct {
	Path    string      `json:"path"`
	Removed bool        `json:"removed,omitempty"`
	Existed bool        `json:"existed,omitempty"`
	Mode    fs.FileMode `json:"mode,omitempty"`
}

// newMode is the mode of files that did not exist; that of others stays.
const newMode = 0o644

// Begin locks a folder, and completes or undoes a transaction that was interrupted there.
func Begin(ctx context.Context, folder string) (*Transaction, error) {
	lock, err := LockFolder(ctx, folder)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		lock.Unlock()
		return nil, err
	}
	t := &Transaction{root: root, lock: lock, content: map[string][]byte{}, before: map[string][]byte{}}
	if t.Recovered, err = recoverJournal(root); err != nil {
		t.End()
		return nil, err
	}
	return t, nil
}

// End releases the folder. What is not committed is forgotten.
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
	t.changes = append(t.changes, change{Path: name, Removed: after == nil, Existed: before != nil})
}

// Commit makes the changes. With an error nothing is changed, unless the error says so. It must not be called twice.
func (t *Transaction) Commit() error {
	if len(t.changes) == 0 {
		return nil
	}
	slices.SortFunc(t.changes, func(a, b change) int { return cmpPaths(a.Path, b.Path) })
	return t.lock.guard.do(func() error {
		j := journal{t.root, t.changes}
		err := j.create()
		for i := range t.changes {
			if err == nil {
				err = t.stage(j, i)
			}
		}
		if err == nil {
			err = j.commit()
		}
		if err != nil {
			return errors.Join(err, j.remove())
		}
		return j.apply()
	})
}

// stage writes the new content of a file to the journal and keeps the old one there.
func (t *Transaction) stage(j journal, i int) error {
	c := &t.changes[i]
	if !fs.ValidPath(c.Path) || c.Path == "." || isOwn(c.Path) {
		return fmt.Errorf("%q must be the path of a file below the folder", c.Path)
	}
	now, mode, err := read(t.root, c.Path)
	if err != nil {
		return err
	}
	if (now == nil) != (t.before[c.Path] == nil) || !bytes.Equal(now, t.before[c.Path]) {
		return fmt.Errorf("%s was changed meanwhile: call again", c.Path)
	}
	if c.Mode = mode; !c.Existed {
		c.Mode = newMode
	}
	if c.Existed {
		if err := j.write(oldFile(i), now, c.Mode); err != nil {
			return err
		}
	}
	if c.Removed {
		return nil
	}
	return j.write(newFile(i), t.content[c.Path], c.Mode)
}

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

// encode is the plan as JSON.
func encode(changes []change) []byte {
	text, err := json.Marshal(changes)
	if err != nil {
		panic(err) // strings, bools and numbers
	}
	return text
}
