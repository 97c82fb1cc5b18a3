package load

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

// repository gives the objects of a git repository.
type repository struct {
	top   string // the folder of the work tree
	limit int64  // of a file's size

	lock     sync.Mutex
	folders  map[string][]entry // by id
	contents *batch             // nil until something is read
	sizes    *batch
}

// entry is one file, folder or link of a folder.
type entry struct {
	name string
	id   string
	mode fs.FileMode
}

var errNoFolder = errors.New("not a folder")

// child returns an entry of a folder.
func (r *repository) child(folder entry, name string) (entry, error) {
	if !folder.mode.IsDir() {
		return entry{}, fs.ErrNotExist
	}
	entries, err := r.folder(folder)
	if err != nil {
		return entry{}, err
	}
	at, found := slices.BinarySearchFunc(entries, name, func(e entry, name string) int { return strings.Compare(e.name, name) })
	if !found {
		return entry{}, fs.ErrNotExist
	}
	return entries[at], nil
}

// folder returns the entries of a folder, sorted by name.
func (r *repository) folder(e entry) ([]entry, error) {
	if !e.mode.IsDir() {
		return nil, errNoFolder
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	if known, ok := r.folders[e.id]; ok {
		return known, nil
	}
	_, text, err := r.ask(&r.contents, "--batch", e.id)
	if err != nil {
		return nil, err
	}
	entries, err := parseFolder(text, len(e.id)/2)
	if err != nil {
		return nil, fmt.Errorf("object %s: %w", e.id, err)
	}
	r.folders[e.id] = entries
	return entries, nil
}

// read returns the content of a file.
func (r *repository) read(e entry) ([]byte, error) {
	r.lock.Lock()
	defer r.lock.Unlock()
	_, text, err := r.ask(&r.contents, "--batch", e.id)
	return text, err
}

// size returns the size of a file.
func (r *repository) size(e entry) (int64, error) {
	if !e.mode.IsRegular() {
		return 0, nil
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	size, _, err := r.ask(&r.sizes, "--batch-check", e.id)
	return size, err
}

// ask asks git for an object, and starts it before where it does not run.
func (r *repository) ask(b **batch, mode, id string) (int64, []byte, error) {
	if *b == nil {
		started, err := start(mode)
		if err != nil {
			return 0, nil, err
		}
		*b = started
	}
	return (*b).object(id, r.limit)
}

func (r *repository) close() error {
	r.lock.Lock()
	defer r.lock.Unlock()
	return errors.Join(r.contents.close(), r.sizes.close())
}

// What git writes for the mode of an entry.
const (
	modeFolder    = "40000"
	modeLink      = "120000"
	modeSubmodule = "160000"
)

var errFolder = errors.New("must be a folder as git writes it")

// parseFolder reads a tree object: of each entry the mode in octal, a blank, the name, NUL, and the id as bytes.
func parseFolder(text []byte, idSize int) ([]entry, error) {
	var entries []entry
	for len(text) > 0 {
		mode, rest, spaced := bytes.Cut(text, []byte(" "))
		name, rest, ended := bytes.Cut(rest, []byte{0})
		if !spaced || !ended || len(rest) < idSize || !isName(string(name)) {
			return nil, errFolder
		}
		entries = append(entries,
			entry{name: string(name), id: hex.EncodeToString(rest[:idSize]), mode: modeOf(string(mode))})
		text = rest[idSize:]
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return entries, nil
}

// isName tells whether a folder can hold an entry of that name: nobody keeps a made-up object from holding others.
func isName(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.Contains(name, "/")
}

// modeOf returns what an entry is. A submodule is nothing that can be read: its files are in another repository.
func modeOf(mode string) fs.FileMode {
	switch mode {
	case modeFolder:
		return fs.ModeDir | 0o755
	case modeLink:
		return fs.ModeSymlink | 0o777
	case modeSubmodule:
		return fs.ModeIrregular
	default:
		return 0o644
	}
}
