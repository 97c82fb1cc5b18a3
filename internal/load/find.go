package load

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// source is one file to read.
type source struct {
	name  string // in messages, with slashes
	path  string // the name without a label
	files fs.FS  // the folder that was walked, or what holds the file that was named
	below string // the path in files
	named bool   // the file itself was named, so it must hold documents
}

// finder finds the sources of paths.
type finder struct {
	sources  []source
	findings krm.Results
	seen     map[string]bool
	files    fs.FS
	label    string // of the names
}

// one finds the files of a path. What is no file of an older state, or not there, is left out.
func (f *finder) one(p string) error {
	switch p {
	case Stdin:
		f.add(source{path: StdinName, named: true})
		return nil
	case "":
		return errors.New("a path must not be empty")
	}
	clean := filepath.ToSlash(filepath.Clean(p))
	info, err := fs.Stat(f.files, p)
	switch older := f.files != (disk{}); {
	case older && (errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() && !info.Mode().IsRegular()):
		return nil
	case err != nil:
		return unwrapped(f.label+p, err)
	case !info.IsDir():
		f.add(source{path: clean, files: f.files, below: p, named: true})
		return nil
	}
	files, err := below(f.files, p)
	if err != nil {
		return unwrapped(f.label+p, err)
	}
	return f.walk(files, clean)
}

func (f *finder) add(s source) {
	s.name = f.label + s.path
	if f.seen[s.name] {
		return
	}
	f.seen[s.name] = true
	f.sources = append(f.sources, s)
}

// walk finds the files of a folder, in the order of their paths. It does not follow links to folders.
func (f *finder) walk(files fs.FS, name string) error {
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
	result.Place, result.Tags = krm.Place{File: file, Line: line, Column: column}, map[string]string{krm.RuleTag: RuleFile}
	return result
}
