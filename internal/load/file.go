package load

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"time"
)

// info is what is known of an entry; it implements fs.FileInfo. Git keeps no times.
type info struct {
	entry
	size int64
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.mode.IsDir() }
func (i info) Sys() any           { return nil }

func (r *repository) info(e entry) (fs.FileInfo, error) {
	size, err := r.size(e)
	return info{entry: e, size: size}, err
}

// dirEntry implements fs.DirEntry.
type dirEntry struct {
	entry
	repository *repository
}

func (d dirEntry) Name() string               { return d.name }
func (d dirEntry) IsDir() bool                { return d.mode.IsDir() }
func (d dirEntry) Type() fs.FileMode          { return d.mode.Type() }
func (d dirEntry) Info() (fs.FileInfo, error) { return d.repository.info(d.entry) }

// file is an open file.
type file struct {
	info
	content *bytes.Reader // nil where it is too large
}

func (r *repository) open(e entry) (fs.File, error) {
	if !e.mode.IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: e.name, Err: errors.New("not a regular file")}
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	size, content, err := r.ask(&r.contents, "--batch", e.id)
	opened := &file{info: info{entry: e, size: size}}
	switch {
	case err == nil:
		opened.content = bytes.NewReader(content)
	case !errors.Is(err, revisionErrLarge): // whose size is all that a reader needs to know
		return nil, &fs.PathError{Op: "open", Path: e.name, Err: err}
	}
	return opened, nil
}

func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *file) Close() error               { return nil }

func (f *file) Read(into []byte) (int, error) {
	if f.content == nil {
		return 0, &fs.PathError{Op: "read", Path: f.name, Err: revisionErrLarge}
	}
	return f.content.Read(into)
}

// folder is an open folder.
type revisionFolder struct {
	info
	tree    *GitTree
	name    string // in the tree
	entries []fs.DirEntry
	started bool
}

func (f *revisionFolder) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *revisionFolder) Close() error               { return nil }

func (f *revisionFolder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: f.name, Err: errors.New("is a folder")}
}

// ReadDir implements fs.ReadDirFile.
func (f *revisionFolder) ReadDir(n int) ([]fs.DirEntry, error) {
	if !f.started {
		entries, err := f.tree.ReadDir(f.name)
		if err != nil {
			return nil, err
		}
		f.entries, f.started = entries, true
	}
	if n <= 0 {
		n = len(f.entries)
	} else if len(f.entries) == 0 {
		return nil, io.EOF
	}
	some := f.entries[:min(n, len(f.entries))]
	f.entries = f.entries[len(some):]
	return some, nil
}
