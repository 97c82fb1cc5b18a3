package build

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// change is a change of a file in the folder.
type change struct {
	name  string
	isNew bool  // there is no file, or none that is regular
	after *file // nil if it is removed
	// lost are the ids of sandboxes that the file names, and will not name any more.
	lost []string
	// refused is the reason why the change must not be made; it may be empty.
	refused string
}

// changes compares the folder with the files that it should have. Unchanged files, and files of other tools, are omitted.
func (f *Folder) changes(files []*file) ([]change, error) {
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
func (f *Folder) wanted(w *file) (*change, error) {
	if w.isKept {
		return nil, f.Cache.CheckKept(w.name)
	}
	c, then := &change{name: w.name, after: w}, f.Cache.FactsOf(w.name)
	info, err := os.Lstat(filepath.Join(f.Folder, w.name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.isNew = true
		return c, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		c.isNew, c.refused = true, noFile
		return c, nil
	}
	before, err := f.read(w.name)
	if err != nil {
		return nil, err
	}
	after, err := f.content(w)
	if err != nil || bytes.Equal(before, after) {
		f.Cache.Wrote(w.name, after, then)
		return nil, err
	}
	c.lost = lostIn(before, after)
	switch origin := originOf(w.name, before); {
	case origin == foreign:
		c.refused = notOurs
	case origin == edited && !f.Overwrite:
		c.refused = wasEdited
	}
	return c, nil
}

// stale returns the change for a file that the folder should not have, or nil if it is not ours.
func (f *Folder) stale(entry fs.DirEntry) (*change, error) {
	if !entry.Type().IsRegular() || filepath.Ext(entry.Name()) != ".yaml" {
		return nil, nil
	}
	before, err := f.readOwn(entry.Name())
	if before == nil {
		return nil, err
	}
	c := &change{name: entry.Name(), lost: lostIn(before, nil)}
	if originOf(c.name, before) == edited && !f.Overwrite {
		c.refused = wasEdited
	}
	return c, nil
}

// maxForeign limits the part of a file that is read to find out whether it is ours.
const maxForeign = 1 << 10

// readOwn reads a file, or returns nil if it is not ours.
func (f *Folder) readOwn(name string) ([]byte, error) {
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
func (f *Folder) read(name string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(f.Folder, name))
	if err != nil {
		return nil, err
	}
	if bytes.Contains(text, []byte("\r\n")) {
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	}
	return text, nil
}

// textsOf returns the contents of a file before and after a change; nil if there is no file.
func (f *Folder) textsOf(c *change) (before, after []byte, err error) {
	if !c.isNew {
		before, err = f.read(c.name)
	}
	if err == nil && c.after != nil {
		after, err = f.content(c.after)
	}
	return before, after, err
}

// refused returns the refused changes as errors.
func (f *Folder) refused(changes []change) (results krm.Results) {
	for _, c := range changes {
		if c.refused != "" {
			results = append(results, f.result(c.name, c.refused))
		}
	}
	return results
}

// refuseEmpty returns an error if the folder has files of ours and nothing is rendered: more often a filter that matches
// nothing, or a path that lost its documents, than the wish to delete everything.
func (f *Folder) refuseEmpty(changes []change) krm.Results {
	removed := slices.DeleteFunc(slices.Clone(changes), func(c change) bool { return c.after != nil })
	if f.objects > 0 || len(removed) == 0 || f.AllowEmpty {
		return nil
	}
	return krm.Results{f.result("", fmt.Sprintf("nothing is rendered, so %s would be removed, the last of the folder: "+
		"give --allow-empty if that is right", report.Count(len(removed), "file")))}
}

// difference describes the difference of a file.
func (c change) difference() string {
	const call = ": call rplug build with --output-dir"
	switch {
	case c.refused == notOurs || c.refused == noFile:
		return c.refused
	case c.isNew:
		return "file is missing" + call
	case c.after == nil:
		return "file must be removed" + call
	}
	return "file is out of date" + call
}
