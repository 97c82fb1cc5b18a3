package build

import (
	"bytes"
	"context"
	"fmt"
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
	if refused := slices.Concat(f.refused(changes), f.refuseEmpty(items, changes),
		f.refuseLeaks(items, changes)); refused.Failed() {
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
	found.Results = append(found.Results, f.refuseLeaks(items, changes)...)
	return found, nil
}
