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

// Source is a file or a folder to read.
type Source struct {
	// Name is its name in messages, with slashes, and Path the same without Options.Label.
	Name, Path string
	// Files is the folder that was walked, or holds the file or folder that was named, and Below is the path in it.
	Files fs.FS
	Below string
	// Named reports whether the user has named it, so that a file must hold documents.
	Named bool
	// Mode is the mode of the file or folder. Anything else, such as a pipe, can be read only once.
	Mode fs.FileMode

	base        string // see Base
	whole       *Whole // how it is read as a whole, nil for a file with documents
	objectsOnly bool   // it must hold Kubernetes objects
}

// Folder returns the files of a folder. Links do not lead out of it.
func (s Source) Folder() (fs.FS, error) { return below(s.Files, s.Below) }

// IsWhole reports whether a format reads the file or folder as a whole.
func (s Source) IsWhole() bool { return s.whole != nil }

// Base returns the name of the file or folder, even if the path is a dot.
func (s Source) Base() string { return s.base }

// finder finds the sources of paths.
type finder struct {
	sources  []Source
	options  Options
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
	f := &finder{
		options: options, files: options.Files, label: options.Label, seen: map[string]bool{}, tracked: options.Tracked,
	}
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

// one finds the files of a path. In an older state, a path that is missing, or is neither a file nor a folder,
// is left out.
func (f *finder) one(p string) error {
	switch p {
	case Stdin:
		f.add(Source{Path: StdinName, Named: true})
		return nil
	case "":
		return errors.New("a path must not be empty")
	}
	info, err := fs.Stat(f.files, p)
	switch older := !f.onDisk(); {
	case older && (errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() && !info.Mode().IsRegular()):
		return nil
	case err != nil:
		return ReadError(f.label+p, err)
	}
	s := Source{Path: filepath.ToSlash(filepath.Clean(p)), Files: f.files, Below: p, Named: true, Mode: info.Mode()}
	if whole := f.whole(&s); !info.IsDir() || whole {
		f.add(s)
		return nil
	}
	files, err := below(f.files, p)
	if err != nil {
		return ReadError(f.label+p, err)
	}
	if s.whole != nil {
		f.sources = append(f.sources, s) // and the files in it are read, too
	}
	return f.walk(files, s.Path)
}

// whole looks for a format that reads a source, and reports whether there is one that reads all of it.
func (f *finder) whole(s *Source) bool {
	s.Name, s.base = f.label+s.Path, path.Base(f.rooted(s.Path))
	for _, format := range f.options.Formats {
		if format.Find == nil {
			continue
		}
		if s.whole = format.Find(*s, f.options); s.whole != nil {
			return !s.whole.Beside
		}
	}
	return false
}

func (f *finder) add(s Source) {
	s.Name = f.label + s.Path
	at := f.rooted(s.Path)
	if f.seen[at] {
		return
	}
	f.seen[at] = true
	if s.whole != nil {
		for _, part := range s.whole.Parts {
			f.seen[f.rooted(part)] = true
		}
	}
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
			return ReadError(f.label+at, err)
		case below == ".":
			w.enter(below, walkedFolder{ignores: w.above()})
		case entry.Name() == gitFolder || entry.Name() == cacheFolder:
			if entry.IsDir() {
				return fs.SkipDir
			}
		case entry.IsDir():
			if err := w.folder(below); err != nil {
				return err
			}
			if s := (Source{Path: at, Files: files, Below: below, Mode: fs.ModeDir}); f.whole(&s) {
				f.add(s)
				return fs.SkipDir
			}
		case HasDocuments(entry.Name()):
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

// walkedFolder holds the lists that decide about the entries of a folder.
type walkedFolder struct {
	ignores *IgnoreList
	ignored *IgnoreList // that ignores the folder itself, which has tracked files
}

// above returns the lists from above the folder. An older state holds only committed files, and git ignores none of them.
func (w *walked) above() *IgnoreList {
	if !w.onDisk() {
		return nil
	}
	return RepositoryIgnores(w.root, filepath.ToSlash(TopLevel(filepath.FromSlash(w.root))))
}

// enter records the lists that decide about the entries of a folder.
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
			f.findings = append(f.findings, Finding(f.label+at, 0, 0, krm.Warning,
				"link must lead to a file of the folder that is read: it is left out"))
			return
		}
		if !info.Mode().IsRegular() {
			return
		}
	} else if !entry.Type().IsRegular() {
		return
	}
	s := Source{Path: at, Files: files, Below: below}
	f.whole(&s)
	f.add(s)
}

// HasDocuments reports whether a file of a folder is read.
func HasDocuments(name string) bool {
	switch path.Ext(name) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}

// ReadError describes an error of the file system.
func ReadError(name string, err error) error { return cannotRead(name, "a file or a folder", err) }

func cannotRead(name, what string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("%q must be %s that can be read: %w", name, what, err)
}

// RuleFile is the rule of findings about files that hold no documents.
const RuleFile = "file"

// Finding is a result about a place in a file.
func Finding(file string, line, column int, severity krm.Severity, message string) krm.Result {
	result := krm.NewResult(severity, message)
	result.Place, result.Tags = krm.Place{File: file, Line: line, Column: column}, map[string]string{krm.RuleTag: RuleFile}
	return result
}
