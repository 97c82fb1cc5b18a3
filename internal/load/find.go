package load

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/stackpackage"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// source is one file to read.
type source struct {
	name  string // in messages, with slashes
	path  string // the name without a label
	files fs.FS  // the folder that was walked, or what holds the file that was named
	below string // the path in files
	named bool   // the file itself was named, so it must hold documents

	discovery bool // it is a discovery folder of kubebuilder
	pack      bool // it is a package of Crossplane, or part of one
}

// finder finds the sources of paths.
type finder struct {
	sources  []source
	findings krm.Results
	skipped  []Skipped
	seen     map[string]bool // by path from the root
	files    fs.FS
	working  string // folder of the disk that relative paths begin in
	label    string // of the names
	excludes *IgnoreList
	tracked  func(path string) bool // by git; never nil
}

func newFinder(options Options) *finder {
	f := &finder{files: options.Files, label: options.Label, seen: map[string]bool{}, tracked: options.Tracked}
	if f.tracked == nil {
		f.tracked = func(string) bool { return false }
	}
	if working, err := os.Getwd(); err == nil && f.onDisk() {
		f.working = working
	}
	for _, e := range options.Exclude {
		f.excludes = f.excludes.With(f.rooted(e.From), e.Source, strings.Join(e.Patterns, "\n"))
	}
	return f
}

// rooted returns a path of the files from their root.
func (f *finder) rooted(p string) string {
	if filepath.IsAbs(p) {
		return filepath.ToSlash(filepath.Clean(p))
	}
	return path.Join("/", filepath.ToSlash(f.working), filepath.ToSlash(p))
}

// onDisk reports whether the files are those of the machine, not of an older state.
func (f *finder) onDisk() bool { return f.files == (disk{}) }

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
	switch older := !f.onDisk(); {
	case older && (errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() && !info.Mode().IsRegular()):
		return nil
	case err != nil:
		return unwrapped(f.label+p, err)
	case !info.IsDir():
		isArchive := info.Mode().IsRegular() && !hasDocuments(clean) && stackpackage.IsArchive(f.files, p)
		f.add(source{path: clean, files: f.files, below: p, named: true, pack: isArchive})
		return nil
	}
	files, err := below(f.files, p)
	if err != nil {
		return unwrapped(f.label+p, err)
	}
	if path.Base(f.rooted(clean)) == stackpackage.Folder || stackpackage.IsLayout(files) {
		f.add(source{path: clean, files: files, below: ".", named: true, pack: true})
		return nil
	}
	f.discovery(p, clean)
	return f.walk(files, clean)
}

func (f *finder) add(s source) {
	s.name = f.label + s.path
	at := f.rooted(s.path)
	if f.seen[at] {
		return
	}
	f.seen[at] = true
	f.sources = append(f.sources, s)
}

// The folders that are not walked: those of git and of our own cache.
const (
	gitFolder   = ".git"
	cacheFolder = ".rplug"
)

// walk finds the files of a folder, in the order of their paths. It does not follow links to folders.
func (f *finder) walk(files fs.FS, name string) error {
	w := walked{finder: f, files: files, name: name, root: f.rooted(name), folders: map[string]walkedFolder{}}
	return fs.WalkDir(files, ".", func(below string, entry fs.DirEntry, err error) error {
		at := path.Join(name, below)
		switch {
		case err != nil:
			return unwrapped(f.label+at, err)
		case below == ".":
			w.enter(below, walkedFolder{ignores: w.above()})
		case entry.Name() == gitFolder || entry.Name() == cacheFolder:
			if entry.IsDir() {
				return fs.SkipDir
			}
		case entry.IsDir():
			err := w.folder(below)
			if err == nil && w.isPackage(below, entry.Name()) {
				f.add(source{path: at, files: files, below: below, pack: true})
				err = fs.SkipDir
			}
			return err
		case hasDocuments(entry.Name()):
			if _, leftOut := w.decide(below, false); !leftOut {
				f.entry(files, entry, at, below)
			}
		}
		return nil
	})
}

// walked is a folder that is walked, with the patterns for each folder below.
type walked struct {
	*finder
	files   fs.FS
	name    string // as paths and messages show it
	root    string // its path from the root
	folders map[string]walkedFolder
}

// walkedFolder is what decides about the entries of a folder.
type walkedFolder struct {
	ignores *IgnoreList
	ignored *IgnoreList // that ignores the folder itself, which has tracked files
}

// above returns the lists from above the folder. An older state is what was committed: git ignores none of it.
func (w *walked) above() *IgnoreList {
	if !w.onDisk() {
		return nil
	}
	return RepositoryIgnores(w.root, filepath.ToSlash(TopLevel(filepath.FromSlash(w.root))))
}

// enter records what decides about the entries of a folder.
func (w *walked) enter(below string, folder walkedFolder) {
	if w.onDisk() {
		file := path.Join(below, GitIgnore)
		folder.ignores = folder.ignores.With(path.Join(w.root, below), path.Join(w.name, file), ReadPatterns(w.files, file))
	}
	w.folders[below] = folder
}

// folder enters a folder, unless it is left out.
func (w *walked) folder(below string) error {
	ignored, leftOut := w.decide(below, true)
	if leftOut {
		return fs.SkipDir
	}
	w.enter(below, walkedFolder{ignores: w.folders[path.Dir(below)].ignores, ignored: ignored})
	return nil
}

// decide returns which list ignores an entry, nil if none does, and whether the entry is left out, which is recorded. An
// ignored one that git tracks is not.
func (w *walked) decide(below string, isFolder bool) (ignored *IgnoreList, leftOut bool) {
	at, parent := path.Join(w.root, below), w.folders[path.Dir(below)]
	by := w.excludes.Match(at, isFolder)
	if by == nil {
		if ignored = parent.ignored; ignored == nil {
			ignored = parent.ignores.Match(at, isFolder)
		}
		if ignored == nil || w.tracked(path.Join(w.name, below)) {
			return ignored, false
		}
		by = ignored
	}
	shown := w.label + path.Join(w.name, below)
	if isFolder {
		shown += "/"
	}
	w.skipped = append(w.skipped, Skipped{File: shown, Reason: "excluded by " + by.Source(), Excluded: true})
	return by, true
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
func unwrapped(name string, err error) error { return cannotRead(name, "a file or a folder", err) }

func cannotRead(name, what string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("%q must be %s that can be read: %w", name, what, err)
}

// RuleFile is the rule of findings about files that hold no documents.
const RuleFile = "file"

// finding is a result about a place in a file.
func finding(file string, line, column int, severity krm.Severity, message string) krm.Result {
	result := krm.NewResult(severity, message)
	result.Place, result.Tags = krm.Place{File: file, Line: line, Column: column}, map[string]string{krm.RuleTag: RuleFile}
	return result
}
