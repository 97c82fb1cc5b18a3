package atomicfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// StateFolder is the folder of a project with what is not to be committed. It ignores itself in git.
const StateFolder = ".rplug"

// The files of a journal.
const (
	journalFolder = StateFolder + "/transaction"
	planFile      = journalFolder + "/plan.json" // the changes are to be made
	undoFile      = journalFolder + "/undo.json" // the changes are to be undone
	partFile      = journalFolder + "/part.json"
)

func newFile(i int) string { return journalFolder + "/new-" + strconv.Itoa(i) }
func oldFile(i int) string { return journalFolder + "/old-" + strconv.Itoa(i) }

// isOwn reports whether a path is one of the journal.
func isOwn(name string) bool { return name == StateFolder || strings.HasPrefix(name, journalFolder) }

// journal is the changes of a transaction on the disk.
type journal struct {
	root    *os.Root
	changes []change
}

// recoverJournal completes what an interrupted transaction has left, and reports whether there was any.
func recoverJournal(root *os.Root) (bool, error) {
	if empty := (journal{root: root}); !empty.has(journalFolder) {
		empty.removeIfUnused()
		return false, nil
	}
	for _, plan := range []struct {
		file   string
		finish func(journal) error
	}{{planFile, journal.apply}, {undoFile, journal.undo}} {
		text, err := root.ReadFile(plan.file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		j := journal{root: root}
		if err == nil {
			err = json.Unmarshal(text, &j.changes)
		}
		if err != nil {
			return false, fmt.Errorf("the journal of an interrupted command cannot be read: %w", err)
		}
		return true, plan.finish(j)
	}
	return true, journal{root: root}.remove()
}

// create makes an empty journal.
func (j journal) create() error {
	if err := j.root.MkdirAll(journalFolder, 0o700); err != nil {
		return err
	}
	if ignore := StateFolder + "/.gitignore"; !j.has(ignore) {
		return j.write(ignore, []byte("*\n"), newMode)
	}
	return nil
}

// has reports whether a file exists.
func (j journal) has(name string) bool {
	_, err := j.root.Lstat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

// write writes a file to the disk.
func (j journal) write(name string, content []byte, mode fs.FileMode) error {
	file, err := j.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Chmod(mode)
	}
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// commit writes the plan: from now on the changes will be made, by the next process if not by this one.
func (j journal) commit() error {
	if err := j.write(partFile, encode(j.changes), 0o600); err != nil {
		return err
	}
	if err := j.root.Rename(partFile, planFile); err != nil {
		return err
	}
	return j.sync(journalFolder)
}

// apply makes the changes that are not made yet. After an error it undoes all.
func (j journal) apply() error {
	for i, c := range j.changes {
		if err := j.applyOne(i, c); err != nil {
			if undone := j.beginUndo(); undone != nil {
				return fmt.Errorf("%s cannot be changed, and files before it are changed already: %w", c.Path, errors.Join(err, undone))
			}
			return fmt.Errorf("%s cannot be changed, so nothing is: %w", c.Path, err)
		}
	}
	return j.remove()
}

func (j journal) applyOne(i int, c change) error {
	if c.Removed {
		return j.removeFile(c.Path)
	}
	if !j.has(newFile(i)) {
		return nil // done before an interruption
	}
	if err := j.root.MkdirAll(path.Dir(c.Path), 0o755); err != nil {
		return err
	}
	if err := j.root.Rename(newFile(i), c.Path); err != nil {
		return err
	}
	return j.sync(path.Dir(c.Path))
}

// beginUndo restores the old files, also after an interruption.
func (j journal) beginUndo() error {
	if err := j.root.Rename(planFile, undoFile); err != nil {
		return err
	}
	return j.undo()
}

func (j journal) undo() error {
	for i := len(j.changes) - 1; i >= 0; i-- {
		if err := j.undoOne(i, j.changes[i]); err != nil {
			return err
		}
	}
	return j.remove()
}

func (j journal) undoOne(i int, c change) error {
	if c.Existed {
		if !j.has(oldFile(i)) {
			return nil
		}
		return j.root.Rename(oldFile(i), c.Path)
	}
	if j.has(newFile(i)) {
		return nil // it was not made
	}
	err := j.removeFile(c.Path)
	for folder := path.Dir(c.Path); err == nil && folder != "."; folder = path.Dir(folder) {
		if j.root.Remove(folder) != nil {
			break // others' files are in it
		}
	}
	return err
}

// removeFile removes a file, if it exists.
func (j journal) removeFile(name string) error {
	if err := j.root.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// remove removes the journal, its plan first: without one nothing is to be done.
func (j journal) remove() error {
	for _, file := range []string{planFile, undoFile} {
		if err := j.removeFile(file); err != nil {
			return err
		}
	}
	if err := j.root.RemoveAll(journalFolder); err != nil {
		return err
	}
	j.removeIfUnused()
	return nil
}

// removeIfUnused removes the folder of the state if nothing but the journal was in it.
func (j journal) removeIfUnused() {
	folder, err := j.root.Open(StateFolder)
	if err != nil {
		return
	}
	names, err := folder.Readdirnames(-1)
	_ = folder.Close()
	if err == nil && !slices.ContainsFunc(names, func(name string) bool { return name != ".gitignore" }) {
		_ = j.root.RemoveAll(StateFolder)
	}
}

// sync writes a folder's entries to the disk, where the system can.
func (j journal) sync(folder string) error {
	opened, err := j.root.Open(folder)
	if err != nil {
		return err
	}
	_ = opened.Sync() // some file systems refuse it for folders
	return opened.Close()
}
