package load

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// source is one file to read.
type source struct {
	name  string // in messages, with slashes
	path  string // the name without a label
	files fs.FS  // the folder that was walked, nil for a file of the file system that was named
	below string // the path in files
	named bool   // the file itself was named, so it must hold documents
}

// finder finds the sources of paths.
type finder struct {
	sources  []source
	findings krm.Results
	roots    []*os.Root
	seen     map[string]bool
	files    fs.FS  // instead of the file system
	label    string // of the names
}

func (f *finder) close() {
	for _, root := range f.roots {
		_ = root.Close()
	}
}

// all finds the files of all paths.
func (f *finder) all(paths []string) error {
	f.seen = map[string]bool{}
	find := f.one
	if f.files != nil {
		find = f.older
	}
	for _, p := range paths {
		if err := find(p); err != nil {
			return err
		}
	}
	return nil
}

func (f *finder) one(p string) error {
	if p == Stdin {
		f.add(source{path: StdinName, named: true})
		return nil
	}
	if p == "" {
		return errors.New("a path must not be empty")
	}
	info, err := os.Stat(p)
	if err != nil {
		return unwrapped(p, err)
	}
	if info.IsDir() {
		return f.walk(p)
	}
	f.add(source{path: filepath.ToSlash(filepath.Clean(p)), named: true})
	return nil
}

// older finds the files of a path in f.files.
func (f *finder) older(p string) error {
	info, err := fs.Stat(f.files, p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return unwrapped(f.label+p, err)
	case info.IsDir():
		folder, err := fs.Sub(f.files, p)
		if err != nil {
			return unwrapped(f.label+p, err)
		}
		return f.walkFiles(folder, p)
	case info.Mode().IsRegular():
		f.add(source{path: p, files: f.files, below: p, named: true})
	}
	return nil
}

func (f *finder) add(s source) {
	s.name = f.label + s.path
	if f.seen[s.name] {
		return
	}
	f.seen[s.name] = true
	f.sources = append(f.sources, s)
}

// walk finds the files of a folder, in the order of their paths. It does not follow links to folders, and files are opened
// below the folder, so that a link that leads out of it is not read.
func (f *finder) walk(folder string) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return unwrapped(folder, err)
	}
	f.roots = append(f.roots, root)
	return f.walkFiles(root.FS(), filepath.ToSlash(filepath.Clean(folder)))
}

func (f *finder) walkFiles(files fs.FS, name string) error {
	return fs.WalkDir(files, ".", func(below string, entry fs.DirEntry, err error) error {
		at := path.Join(name, below)
		switch {
		case err != nil:
			return unwrapped(f.label+at, err)
		case below != "." && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
		case hasDocuments(entry.Name()):
			f.entry(files, entry, at, below)
		}
		return nil
	})
}

// entry adds a file of a folder.
func (f *finder) entry(files fs.FS, entry fs.DirEntry, at, below string) {
	if entry.Type()&fs.ModeSymlink != 0 {
		info, err := fs.Stat(files, below)
		if err != nil {
			f.findings = append(f.findings, finding(f.label+at, 0, 0, krm.Warning,
				"link must lead to a file of the folder that is read: it is left out"))
			return
		}
		if !info.Mode().IsRegular() {
			return
		}
	} else if !entry.Type().IsRegular() {
		return
	}
	f.add(source{path: at, files: files, below: below})
}

// hasDocuments reports whether a file of a folder is read.
func hasDocuments(name string) bool {
	switch path.Ext(name) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}

// unwrapped describes an error of the file system.
func unwrapped(name string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("%q must be a file or a folder that can be read: %w", name, err)
}

// RuleFile is the rule of findings about files that hold no documents.
const RuleFile = "file"

// finding is a result about a place in a file.
func finding(file string, line, column int, severity krm.Severity, message string) krm.Result {
	result := krm.NewResult(severity, message)
	result.Place, result.Tags = krm.Place{File: file, Line: line, Column: column}, map[string]string{"rule": RuleFile}
	return result
}
