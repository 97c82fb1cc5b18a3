package transaction

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
)

// StateFolder is the folder of a project for files that are not committed. It ignores itself in git.
const StateFolder = ".rplug"

// stagePrefix is the prefix of folders with old and new contents.
const stagePrefix = StateFolder + "/transaction-"

// journal is a transaction on the disk: its plan, and the contents in its stage.
type journal struct {
	root  *os.Root
	plans plans
	plan  plan
}

func (j journal) newFile(i int) string { return j.plan.Stage + "/new-" + strconv.Itoa(i) }
func (j journal) oldFile(i int) string { return j.plan.Stage + "/old-" + strconv.Itoa(i) }

// create makes the folder of the contents. Nothing of it exists before.
func (j *journal) create() error {
	if err := j.root.Mkdir(StateFolder, 0o700); err != nil && !j.isFolder(StateFolder) {
		return fmt.Errorf("%s must be a folder: %w", StateFolder, err)
	}
	if err := j.write(StateFolder+"/.gitignore", []byte("*\n"), newMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	stage := stagePrefix + rand.Text()
	if err := j.root.Mkdir(stage, 0o700); err != nil {
		return err
	}
	j.plan.Stage = stage
	return nil
}

// isFolder reports whether a folder exists, and is no link to one.
func (j journal) isFolder(name string) bool {
	info, err := j.root.Lstat(name)
	return err == nil && info.IsDir()
}

// write writes a new file to the disk.
func (j journal) write(name string, content []byte, mode fs.FileMode) error {
	file, err := j.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
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

// resume completes or undoes a plan, once its paths and the files that it has not written are as they were.
func (j journal) resume() error {
	err := checkPlaces(j.root, j.plan.Changes)
	for _, c := range j.plan.Changes {
		if err == nil {
			err = j.checkUntouched(c)
		}
	}
	if err != nil {
		return fmt.Errorf("the changes of an interrupted command cannot be completed: %w: remove %s to keep the files as they are",
			err, j.plans.file)
	}
	if j.plan.Undo {
		return j.undo()
	}
	return j.apply()
}

// checkUntouched returns an error if a file has neither its old nor its new content.
func (j journal) checkUntouched(c change) error {
	now, err := j.digestOf(c.Path)
	if err == nil && now != c.Before && now != c.After {
		err = fmt.Errorf("%s was changed meanwhile", c.Path)
	}
	return err
}

// digestOf returns the digest of a file, "" if it does not exist.
func (j journal) digestOf(name string) (string, error) {
	content, _, err := read(j.root, name)
	return digest(content), err
}

// apply makes the changes that are not made yet. After an error it undoes all.
func (j journal) apply() error {
	for i, c := range j.plan.Changes {
		if err := j.put(c, c.After, j.newFile(i)); err != nil {
			j.plan.Undo = true
			if undone := errors.Join(j.plans.write(j.plan), j.undo()); undone != nil {
				return fmt.Errorf("%s cannot be changed, and files before it are changed already: %w", c.Path, errors.Join(err, undone))
			}
			return fmt.Errorf("%s cannot be changed, so nothing is: %w", c.Path, err)
		}
	}
	return j.remove()
}

// undo restores the old files, also after an interruption.
func (j journal) undo() error {
	for i, c := range slices.Backward(j.plan.Changes) {
		if c.Before == "" && checkPlace(j.root, c.Path) != nil {
			continue // a file is above it, so it was not made
		}
		if err := j.put(c, c.Before, j.oldFile(i)); err != nil {
			return err
		}
		if c.Before == "" {
			j.removeEmptyAbove(c.Path)
		}
	}
	return j.remove()
}

// put gives a file the content with a digest, which is in the stage unless the file has it already.
func (j journal) put(c change, want, staged string) error {
	if err := checkPlace(j.root, c.Path); err != nil {
		return err
	}
	now, err := j.digestOf(c.Path)
	switch {
	case err != nil:
		return err
	case now == want:
		return nil
	case want == "":
		return j.root.Remove(c.Path)
	}
	content, err := j.digestOf(staged)
	if err != nil {
		return err
	}
	if content != want {
		return fmt.Errorf("%s was changed", staged)
	}
	if err := j.root.MkdirAll(path.Dir(c.Path), 0o755); err != nil {
		return err
	}
	if err := j.root.Rename(staged, c.Path); err != nil {
		return err
	}
	return j.sync(path.Dir(c.Path))
}

// removeEmptyAbove removes the folders of a file that was not there, until one has files of others.
func (j journal) removeEmptyAbove(name string) {
	for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
		if j.root.Remove(folder) != nil {
			return
		}
	}
}

// remove removes the journal, its plan first: without one nothing is to be done.
func (j journal) remove() error {
	if err := j.plans.remove(); err != nil {
		return err
	}
	return j.sweep()
}

// sweep removes the folders of contents that processes without a plan have left, and the folder of the state if nothing else
// is in it.
func (j journal) sweep() error {
	if !j.isFolder(StateFolder) {
		return nil
	}
	names, err := j.names(StateFolder)
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(names, func(name string) bool {
		isStage := stageName.MatchString(path.Join(StateFolder, name))
		if isStage {
			err = errors.Join(err, j.root.RemoveAll(path.Join(StateFolder, name)))
		}
		return isStage
	})
	if err == nil && (len(others) == 0 || slices.Equal(others, []string{".gitignore"})) {
		err = j.root.RemoveAll(StateFolder)
	}
	return err
}

// names returns the names in a folder.
func (j journal) names(folder string) ([]string, error) {
	opened, err := j.root.Open(folder)
	if err != nil {
		return nil, err
	}
	names, err := opened.Readdirnames(-1)
	return names, errors.Join(err, opened.Close())
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
