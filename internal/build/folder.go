package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/atomicfile"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Folder is a folder with rendered objects: a file for each sandbox, or for each object, and one for shared objects. Each
// file starts with a marker line. A file without a marker belongs to another tool: it is never changed, and it is an error
// if its name is needed. An edited file is only replaced or removed if Overwrite is set.
type Folder struct{ cli.FolderOptions }

// file is a file of the folder.
type file struct {
	name    string
	content []byte // nil for a missing file
}

// files returns the files for the objects, sorted by name.
func (f Folder) files(items []*krm.Item) ([]file, error) {
	texts := map[string]*bytes.Buffer{}
	for _, item := range items {
		text, err := item.Bytes()
		if err != nil {
			return nil, err
		}
		name := f.fileOf(item, text)
		if texts[name] == nil {
			texts[name] = &bytes.Buffer{}
		} else {
			texts[name].WriteString("---\n")
		}
		texts[name].Write(text)
	}
	files := make([]file, 0, len(texts)+1)
	for name, text := range texts {
		files = append(files, file{name, text.Bytes()})
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	if f.Kustomization {
		files = append(files, kustomization(files))
	}
	krm.Each(len(files), func(i int) { files[i].content = marked(files[i].name, files[i].content) })
	return files, nil
}

// fileOf returns the name of the file for an object, whose text is given as well.
func (f Folder) fileOf(item *krm.Item, text []byte) string {
	if f.PerObject {
		return objectFile(item)
	}
	return ownerFile(item, text)
}

// kustomization returns the kustomization of the files.
func kustomization(files []file) file {
	text := []byte("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n")
	if len(files) > 0 {
		text = append(text, "resources:\n"...)
	}
	for _, file := range files {
		text = append(text, "- "+file.name+"\n"...)
	}
	return file{kustomizationFile, text}
}

// change is a change of a file in the folder.
type change struct {
	name          string
	before, after []byte // nil if there is no file
	// refused is the reason why the change must not be made; it may be empty.
	refused string
}

// changes compares the folder with the files that it should have. Unchanged files, and files of other tools, are omitted.
func (f Folder) changes(files []file) ([]change, error) {
	present, err := os.ReadDir(f.Folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	wanted := make(map[string]bool, len(files))
	found := make([]*change, len(files)+len(present))
	errs := make([]error, len(found))
	for _, file := range files {
		wanted[file.name] = true
	}
	krm.Each(len(found), func(i int) {
		if i < len(files) {
			found[i], errs[i] = f.wanted(files[i])
		} else if entry := present[i-len(files)]; !wanted[entry.Name()] {
			found[i], errs[i] = f.stale(entry)
		}
	})
	var all []change
	for _, change := range found {
		if change != nil {
			all = append(all, *change)
		}
	}
	return all, errors.Join(errs...)
}

const (
	notOurs   = "file must be moved away, or removed: its name is needed, and rplug build did not write it"
	noFile    = "must be a regular file: rplug build writes a file of this name"
	wasEdited = "file was edited since rplug build wrote it: undo that, or give --overwrite"
)

// wanted returns the change for a file that the folder should have, or nil if it is up to date.
func (f Folder) wanted(w file) (*change, error) {
	c := &change{name: w.name, after: w.content}
	info, err := os.Lstat(filepath.Join(f.Folder, w.name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		c.refused = noFile
		return c, nil
	}
	if c.before, err = f.read(w.name); err != nil || bytes.Equal(c.before, c.after) {
		return nil, err
	}
	switch origin := originOf(w.name, c.before); {
	case origin == foreign:
		c.refused = notOurs
	case origin == edited && !f.Overwrite:
		c.refused = wasEdited
	}
	return c, nil
}

// stale returns the change for a file that the folder should not have, or nil if it is not ours.
func (f Folder) stale(entry fs.DirEntry) (*change, error) {
	if !entry.Type().IsRegular() || filepath.Ext(entry.Name()) != ".yaml" {
		return nil, nil
	}
	c := &change{name: entry.Name()}
	var err error
	if c.before, err = f.readOwn(entry.Name()); c.before == nil {
		return nil, err
	}
	if originOf(c.name, c.before) == edited && !f.Overwrite {
		c.refused = wasEdited
	}
	return c, nil
}

// maxForeign limits the part of a file that is read to find out whether it is ours.
const maxForeign = 1 << 10

// readOwn reads a file, or returns nil if it is not ours.
func (f Folder) readOwn(name string) ([]byte, error) {
	opened, err := os.Open(filepath.Join(f.Folder, name))
	if err != nil {
		return nil, err
	}
	defer func() { _ = opened.Close() }()
	head := make([]byte, maxForeign)
	n, _ := opened.Read(head)
	if originOf(name, head[:n]) == foreign {
		return nil, nil
	}
	return f.read(name)
}

// read reads a file of the folder. Git may have changed its line endings.
func (f Folder) read(name string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(f.Folder, name))
	if err != nil {
		return nil, err
	}
	if bytes.Contains(text, []byte("\r\n")) {
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	}
	return text, nil
}

// refused returns the refused changes as errors.
func (f Folder) refused(changes []change) (results krm.Results) {
	for _, c := range changes {
		if c.refused != "" {
			results = append(results, f.result(c.name, c.refused))
		}
	}
	return results
}

// refuseEmpty returns an error if the folder has files of ours and nothing is rendered: more often a filter that matches
// nothing, or a path that lost its documents, than the wish to delete everything.
func (f Folder) refuseEmpty(items []*krm.Item, changes []change) krm.Results {
	removed := slices.DeleteFunc(slices.Clone(changes), func(c change) bool { return c.after != nil })
	if len(items) > 0 || len(removed) == 0 || f.AllowEmpty {
		return nil
	}
	return krm.Results{f.result("", fmt.Sprintf("nothing is rendered, so %s would be removed, the last of the folder: "+
		"give --allow-empty if that is right", report.Count(len(removed), "file")))}
}

func (f Folder) result(name, message string) krm.Result {
	result := krm.NewResult(krm.Error, message)
	result.Place.File = filepath.ToSlash(filepath.Join(f.Folder, name))
	return result
}

// Write writes the objects to the folder, and removes files of ours that have none any more. Nothing is written if a file
// must not be replaced. Each file is replaced as a whole; a run that ends early is completed by the next one.
func (f Folder) Write(ctx context.Context, items []*krm.Item) (cli.FolderReport, error) {
	files, err := f.files(items)
	if err != nil {
		return cli.FolderReport{}, err
	}
	if err := os.MkdirAll(f.Folder, 0o755); err != nil {
		return cli.FolderReport{}, err
	}
	lock, err := atomicfile.LockFolder(ctx, f.Folder)
	if err != nil {
		return cli.FolderReport{}, err
	}
	defer lock.Unlock()
	changes, err := f.changes(files)
	if err != nil {
		return cli.FolderReport{}, err
	}
	if refused := append(f.refused(changes), f.refuseEmpty(items, changes)...); refused.Failed() {
		return cli.FolderReport{Results: refused, Summary: "nothing written: fix the errors above"}, nil
	}
	return f.apply(lock, changes, len(files))
}

// apply makes the changes: new files first, so that no object is missing meanwhile.
func (f Folder) apply(lock *atomicfile.FolderLock, changes []change, total int) (cli.FolderReport, error) {
	written, removed := map[string][]byte{}, []string{}
	for _, c := range changes {
		if c.after != nil {
			written[c.name] = c.after
		} else {
			removed = append(removed, c.name)
		}
	}
	if err := lock.ReplaceAll(".rplug-build", written); err != nil {
		return cli.FolderReport{}, err
	}
	if err := lock.RemoveAll(removed); err != nil {
		return cli.FolderReport{}, err
	}
	return cli.FolderReport{Summary: fmt.Sprintf("%s in %s: %d written, %d removed",
		report.Count(total, "file"), f.Folder, len(written), len(removed))}, nil
}

// maxReported limits the list of files that differ.
const maxReported = 20

// Check reports the differences between the folder and the objects.
func (f Folder) Check(items []*krm.Item) (cli.FolderReport, error) {
	files, err := f.files(items)
	if err != nil {
		return cli.FolderReport{}, err
	}
	changes, err := f.changes(files)
	if err != nil {
		return cli.FolderReport{}, err
	}
	found := cli.FolderReport{Diff: f.diff(changes), Summary: fmt.Sprintf("%s in %s, %d out of date",
		report.Count(len(files), "file"), f.Folder, len(changes))}
	for i, c := range changes {
		if i == maxReported {
			found.Results = append(found.Results, krm.NewResult(krm.Error,
				fmt.Sprintf("%s of %s differ, too", report.Count(len(changes)-i, "other file"), f.Folder)))
			break
		}
		found.Results = append(found.Results, f.result(c.name, c.difference()))
	}
	return found, nil
}

// difference describes the difference of a file.
func (c change) difference() string {
	const call = ": call rplug build with --output-dir"
	switch {
	case c.refused == notOurs || c.refused == noFile:
		return c.refused
	case c.before == nil:
		return "file is missing" + call
	case c.after == nil:
		return "file must be removed" + call
	}
	return "file is out of date" + call
}
