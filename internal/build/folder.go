package build

import (
	"context"
	"fmt"
	"maps"
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
//
// Add takes the objects, which are spooled, and Write writes them or Check compares the folder with them: one file at a time
// is in memory.
type Folder struct {
	cli.FolderOptions

	objects int // that were added
	files   map[string]*file
	spool   atomicfile.Spool
}

// file is a file that the folder should have.
type file struct {
	name string
	// texts are where the texts of the objects are in the spool: first of those that sandboxes share, then of all others.
	texts  [2][]span
	text   []byte // of a file without objects
	isKept bool   // it stays as it is: see incremental.Cache
}

// span is a part of the spool.
type span struct{ start, end int64 }

// NewFolder returns a folder without objects.
func NewFolder(options cli.FolderOptions) *Folder {
	return &Folder{FolderOptions: options, files: map[string]*file{}}
}

// Add adds objects. In their files, those that belong to no sandbox in particular are before all others.
func (f *Folder) Add(shared, others []*krm.Item) error {
	for i, items := range [...][]*krm.Item{shared, others} {
		for _, item := range items {
			if err := f.add(i, item); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *Folder) add(to int, item *krm.Item) error {
	text, err := item.Bytes()
	if err != nil {
		return err
	}
	owner := OwnerOf(item, text)
	name := f.fileOf(item, owner)
	if to == 1 && owner.Kind != OwnerSandbox {
		f.Cache.Void()
	}
	f.Cache.Object(name, owner.Name, item.Size())
	if f.files[name] == nil {
		f.files[name] = &file{name: name}
	}
	f.objects++
	texts := &f.files[name].texts[to]
	at := f.spool.Len()
	if last := len(*texts) - 1; last >= 0 && (*texts)[last].end == at {
		_, err = f.spool.Write(slices.Concat([]byte(separator), text))
		(*texts)[last].end = f.spool.Len()
		return err
	}
	_, err = f.spool.Write(text)
	*texts = append(*texts, span{at, f.spool.Len()})
	return err
}

// separator is between the objects of a file.
const separator = "---\n"

// Close releases the memory or file that holds the objects.
func (f *Folder) Close() error { return f.spool.Close() }

// content returns the content of a file.
func (f *Folder) content(of *file) ([]byte, error) {
	if of.isKept {
		return f.read(of.name)
	}
	if of.text != nil {
		return marked(of.name, of.text), nil
	}
	var all []byte
	for i, s := range slices.Concat(of.texts[0], of.texts[1]) {
		if i > 0 {
			all = append(all, separator...)
		}
		text, err := f.spool.Text(s.start, s.end)
		if err != nil {
			return nil, err
		}
		all = append(all, text...)
	}
	return marked(of.name, all), nil
}

// wantedFiles returns the files for the objects, sorted by name.
func (f *Folder) wantedFiles() ([]*file, error) {
	kept, err := f.Cache.Kept()
	if err != nil {
		return nil, err
	}
	for _, name := range kept {
		f.files[name] = &file{name: name, isKept: true}
	}
	f.objects += len(kept)
	files := slices.SortedFunc(maps.Values(f.files), func(a, b *file) int { return strings.Compare(a.name, b.name) })
	if f.Kustomization {
		files = append(files, kustomization(files))
	}
	return files, nil
}

// fileOf returns the name of the file for an object.
func (f *Folder) fileOf(item *krm.Item, owner Owner) string {
	switch {
	case f.PerObject:
		return objectFile(item)
	case owner == Owner{}:
		return sharedFile
	}
	return fileName(owner.Kind, owner.Name)
}

// kustomization returns the kustomization of the files.
func kustomization(files []*file) *file {
	text := []byte("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n")
	if len(files) > 0 {
		text = append(text, "resources:\n"...)
	}
	for _, one := range files {
		text = append(text, "- "+one.name+"\n"...)
	}
	return &file{name: kustomizationFile, text: text}
}

func (f *Folder) result(name, message string) krm.Result {
	result := krm.NewResult(krm.Error, message)
	result.Place.File = filepath.ToSlash(filepath.Join(f.Folder, name))
	return result
}

// Write writes the objects to the folder, and removes files of ours that have none any more. Nothing is written if a file
// must not be replaced. Each file is replaced as a whole; a run that ends early is completed by the next one.
func (f *Folder) Write(ctx context.Context) (cli.FolderReport, error) {
	if err := os.MkdirAll(f.Folder, 0o755); err != nil {
		return cli.FolderReport{}, err
	}
	lock, err := atomicfile.LockFolder(ctx, f.Folder)
	if err != nil {
		return cli.FolderReport{}, err
	}
	defer lock.Unlock()
	files, err := f.wantedFiles()
	if err != nil {
		return cli.FolderReport{}, err
	}
	changes, err := f.changes(files)
	if err != nil {
		return cli.FolderReport{}, err
	}
	leaks, err := f.refuseLeaks(files, changes)
	if err != nil {
		return cli.FolderReport{}, err
	}
	if refused := slices.Concat(f.refused(changes), f.refuseEmpty(changes), leaks); refused.Failed() {
		return cli.FolderReport{Results: refused, Summary: "nothing written: fix the errors above"}, nil
	}
	var texts []atomicfile.Change
	if f.Diff {
		if texts, err = f.texts(changes); err != nil {
			return cli.FolderReport{}, err
		}
	}
	done, err := f.apply(lock, changes, len(files))
	done.Diff = atomicfile.Diff(texts)
	return done, err
}

// apply makes the changes: new files first, so that no object is missing meanwhile.
func (f *Folder) apply(lock *atomicfile.FolderLock, changes []change, total int) (cli.FolderReport, error) {
	written, removed, wanted := []string{}, []string{}, map[string]*file{}
	for _, c := range changes {
		if c.after != nil {
			written, wanted[c.name] = append(written, c.name), c.after
		} else {
			removed = append(removed, c.name)
		}
	}
	last := func() {} // records the file that was written last
	content := func(name string) ([]byte, error) {
		last()
		text, err := f.content(wanted[name])
		last = func() { f.Cache.Wrote(name, text, f.Cache.FactsOf(name)) }
		return text, err
	}
	if err := lock.ReplaceAll(".rplug-build", written, content); err != nil {
		return cli.FolderReport{}, err
	}
	last()
	if err := lock.RemoveAll(removed); err != nil {
		return cli.FolderReport{}, err
	}
	return cli.FolderReport{Summary: fmt.Sprintf("%s in %s: %d written, %d removed",
		report.Count(total, "file"), f.Folder, len(written), len(removed))}, nil
}

// maxReported limits the list of files that differ.
const maxReported = 20

// Check reports the differences between the folder and the objects.
func (f *Folder) Check() (cli.FolderReport, error) {
	files, err := f.wantedFiles()
	if err != nil {
		return cli.FolderReport{}, err
	}
	changes, err := f.changes(files)
	if err != nil {
		return cli.FolderReport{}, err
	}
	found := cli.FolderReport{Summary: fmt.Sprintf("%s in %s, %d out of date",
		report.Count(len(files), "file"), f.Folder, len(changes))}
	if found.Diff, err = f.diff(changes); err != nil {
		return cli.FolderReport{}, err
	}
	for i, c := range changes {
		if i == maxReported {
			found.Results = append(found.Results, krm.NewResult(krm.Error,
				fmt.Sprintf("%s of %s differ, too", report.Count(len(changes)-i, "other file"), f.Folder)))
			break
		}
		found.Results = append(found.Results, f.result(c.name, c.difference()))
	}
	leaks, err := f.refuseLeaks(files, changes)
	found.Results = append(found.Results, leaks...)
	return found, err
}
