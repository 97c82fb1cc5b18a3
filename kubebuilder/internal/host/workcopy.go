package host

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// workCopy is a copy of the project in which plugins run, so that their own writes do not change the project.
type workCopy struct {
	// parent is the temporary folder, and folder the copy in it. It has the name of the project, after which kubebuilder
	// names new projects.
	parent, folder string
	// noPlugins is an empty discovery folder.
	noPlugins string
	root      *os.Root
	// stamps are the states of the files when a plugin starts.
	stamps map[string]stamp
}

// stamp is the state of a file. Files of the copy are older than any plugin run.
type stamp struct {
	size     int64
	modified time.Time
}

// newWorkCopy copies the files of a project.
func newWorkCopy(p *project) (*workCopy, error) {
	parent, err := os.MkdirTemp("", "rplug-kubebuilder-")
	if err != nil {
		return nil, err
	}
	w := &workCopy{
		parent: parent, folder: filepath.Join(parent, filepath.Base(absolute(p.folder))),
		noPlugins: filepath.Join(parent, "plugins"), stamps: map[string]stamp{},
	}
	if filepath.Base(w.folder) == filepath.Base(w.noPlugins) {
		w.noPlugins += "-none"
	}
	err = errors.Join(os.Mkdir(w.folder, 0o755), os.Mkdir(w.noPlugins, 0o755))
	if err == nil {
		w.root, err = os.OpenRoot(w.folder)
	}
	for _, name := range p.files {
		if err == nil {
			err = w.copyFile(p.root, name)
		}
	}
	if err != nil {
		w.remove()
		return nil, err
	}
	return w, nil
}

// absolute returns the absolute path of a folder, whose last element is the name of the project.
func absolute(folder string) string {
	if path, err := filepath.Abs(folder); err == nil {
		return path
	}
	return folder
}

// remove removes the copy. Folders that a plugin has made read-only stay, since nothing in them is needed.
func (w *workCopy) remove() {
	if w.root != nil {
		_ = w.root.Close()
	}
	_ = os.RemoveAll(w.parent)
}

// copyFile copies a file with its mode and time.
func (w *workCopy) copyFile(from *os.Root, name string) error {
	source, err := from.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	info, err := source.Stat()
	if err != nil {
		return err
	}
	if err := w.root.MkdirAll(filepath.Dir(filepath.FromSlash(name)), 0o755); err != nil {
		return err
	}
	target, err := w.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm()|0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	if err := errors.Join(err, target.Close()); err != nil {
		return err
	}
	return w.root.Chtimes(name, info.ModTime(), info.ModTime())
}

// update brings the copy to the state of the project with the changes of earlier plugins. The command init has no file
// PROJECT yet: kubebuilder writes it behind the plugins.
func (w *workCopy) update(p *project, withProjectFile bool) error {
	for _, name := range slices.Sorted(maps.Keys(p.changed)) {
		if name == projectFileName && !withProjectFile {
			continue
		}
		if err := w.write(name, p.changed[name]); err != nil {
			return err
		}
	}
	if !withProjectFile {
		if err := w.write(projectFileName, nil); err != nil {
			return err
		}
	}
	w.stamps = map[string]stamp{}
	files, _, err := w.list()
	for _, name := range files {
		if info, statErr := w.root.Lstat(name); statErr == nil {
			w.stamps[name] = stamp{info.Size(), info.ModTime()}
		}
	}
	return err
}

// write replaces a file if its content differs; nil removes it.
func (w *workCopy) write(name string, content []byte) error {
	before, err := w.root.ReadFile(name)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case content == nil && err == nil:
		return w.root.Remove(name)
	case content == nil || err == nil && bytes.Equal(before, content):
		return nil
	}
	mode := fs.FileMode(0o644)
	if info, err := w.root.Lstat(name); err == nil {
		mode = info.Mode().Perm()
	}
	past := time.Now().Add(-time.Minute)
	return errors.Join(w.root.MkdirAll(filepath.Dir(filepath.FromSlash(name)), 0o755),
		w.root.WriteFile(name, content, mode), w.root.Chtimes(name, past, past))
}

// restore undoes the changes of a file.
func (w *workCopy) restore(p *project, name string) error {
	content, err := p.read(name)
	if err != nil {
		return err
	}
	return w.write(name, content)
}

// list returns the regular files of the copy that git does not ignore, and the entries that are neither files nor
// folders.
func (w *workCopy) list() (files []string, others []leftOut, err error) {
	listed := &project{root: w.root, folder: w.folder}
	err = listed.walk(func(string) error { return nil })
	return listed.files, listed.leftOut, err
}

// written returns the changes in the copy since update; nil for removed files.
func (w *workCopy) written(p *project) (changed map[string][]byte, others []leftOut, err error) {
	files, others, err := w.list()
	if err != nil {
		return nil, nil, err
	}
	changed = map[string][]byte{}
	left := maps.Clone(w.stamps)
	for _, name := range files {
		before, existed := left[name]
		delete(left, name)
		info, err := w.root.Lstat(name)
		if err != nil {
			return nil, nil, fmt.Errorf("%s was removed while it was read: a process of a plugin is still running", name)
		}
		if existed && before == (stamp{info.Size(), info.ModTime()}) {
			continue
		}
		content, err := w.root.ReadFile(name)
		if err != nil {
			return nil, nil, err
		}
		if known, err := p.read(name); err != nil || known == nil || !bytes.Equal(known, content) {
			changed[name] = content
		}
	}
	for name := range left {
		if name != projectFileName {
			changed[name] = nil
		}
	}
	return changed, others, nil
}
