package host

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/resource-plugins/krm-functions/internal/atomicfile"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/kubebuilder/internal/transaction"
)

// maxText is the largest file that plugins see, in bytes. Handwritten files are smaller.
const maxText = 1 << 20

// leftOut is a path that is no part of the universe, though git does not ignore it.
type leftOut struct{ path, reason string }

// project holds the files of a project's folder with the changes that are not written yet. File contents stay on the disk,
// since a project may be large.
type project struct {
	root    *os.Root
	folder  string
	files   []string                     // regular files that are not ignored, sorted
	texts   map[string][sha256.Size]byte // digests of the files that plugins see
	leftOut []leftOut                    // without binary files
	changed map[string][]byte            // nil for removed files
}

func openProject(folder string) (*project, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	p := &project{root: root, folder: folder, texts: map[string][sha256.Size]byte{}, changed: map[string][]byte{}}
	if err := p.walk(p.classify); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *project) close() { _ = p.root.Close() }

// walk finds the files that git does not ignore, and calls found with each.
func (p *project) walk(found func(name string) error) error {
	top, err := filepath.Abs(p.folder)
	if err != nil {
		return err
	}
	top = filepath.ToSlash(top)
	lists := map[string]*load.IgnoreList{}
	files := p.root.FS()
	above := load.RepositoryIgnores(top, filepath.ToSlash(load.TopLevel(filepath.FromSlash(top))))
	return fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		at := path.Join(top, name)
		switch {
		case err != nil:
			return err
		case name == ".":
			lists[name] = above.With(top, "", load.ReadPatterns(files, load.GitIgnore))
		case entry.IsDir():
			list := lists[path.Dir(name)]
			if entry.Name() == ".git" || entry.Name() == transaction.StateFolder || list.Match(at, true) != nil {
				return fs.SkipDir
			}
			lists[name] = list.With(at, "", load.ReadPatterns(files, path.Join(name, load.GitIgnore)))
		case entry.Name() == ".git" || lists[path.Dir(name)].Match(at, false) != nil:
		case !entry.Type().IsRegular():
			p.leftOut = append(p.leftOut, leftOut{name, "not a regular file"})
		default:
			p.files = append(p.files, name)
			return found(name)
		}
		return nil
	})
}

// classify records whether plugins see a file. Files with NUL bytes in the first MiB are binary.
func (p *project) classify(name string) error {
	file, err := p.root.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxText+1))
	switch {
	case err != nil:
		return err
	case bytes.IndexByte(text, 0) >= 0:
	case len(text) > maxText:
		p.leftOut = append(p.leftOut, leftOut{name, fmt.Sprintf("larger than %d bytes", maxText)})
	case !isText(text):
		p.leftOut = append(p.leftOut, leftOut{name, "not text in UTF-8"})
	default:
		p.texts[name] = sha256.Sum256(text)
	}
	return nil
}

// isText reports whether content can be sent as a JSON string.
func isText(content []byte) bool { return utf8.Valid(content) && bytes.IndexByte(content, 0) < 0 }

// universe calls file with each file that plugins see, including changes, sorted.
func (p *project) universe(file func(name string, content []byte) error) error {
	names := maps.Clone(p.texts)
	for name, content := range p.changed {
		if delete(names, name); content != nil && isText(content) {
			names[name] = [sha256.Size]byte{}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		content, err := p.read(name)
		if err == nil {
			err = file(name, content)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// read returns the changed content of a file, or nil if the file does not exist.
func (p *project) read(name string) ([]byte, error) {
	if content, isChanged := p.changed[name]; isChanged {
		return content, nil
	}
	return p.onDisk(name)
}

// onDisk returns the content of a file on the disk, or nil if the file does not exist. It fails if the file has changed
// since walk.
func (p *project) onDisk(name string) ([]byte, error) {
	info, err := p.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s must be a regular file", name)
	}
	content, err := p.root.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if digest, known := p.texts[name]; known && digest != sha256.Sum256(content) {
		return nil, fmt.Errorf("%s was changed meanwhile: call again", name)
	}
	return content, nil
}

// set changes a file; nil removes it.
func (p *project) set(name string, content []byte) { p.changed[name] = content }

// changes returns the differences from the disk.
func (p *project) changes() (changes []atomicfile.Change, err error) {
	for _, name := range slices.Sorted(maps.Keys(p.changed)) {
		before, err := p.onDisk(name)
		if err != nil {
			return nil, err
		}
		after := p.changed[name]
		if bytes.Equal(before, after) && (before == nil) == (after == nil) {
			continue
		}
		changes = append(changes, atomicfile.Change{Path: name, Before: before, After: after})
	}
	return changes, nil
}
