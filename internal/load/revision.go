// Package revision reads the files of a git revision, as they were then: an fs.FS over git's objects. It is the one place
// that runs another program, and nothing hostile reaches that program: a revision that could be taken for an option is
// refused before, and of what the repository holds git is only ever asked for objects by their ids. The commands are
// those that only read; they run no hook, no filter and no pager, and they fetch nothing.
package load

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

// Tree is the files of a revision. Its paths begin at the top of the repository. Links are followed where they lead to
// other files of the tree. It may be used by several goroutines.
type GitTree struct {
	repository *repository
	root       entry
}

// Open returns the files of a revision of the repository that the working folder is in. No file larger than limit, in
// bytes, can be read. The tree must be closed.
func OpenRevision(name string, limit int64) (*GitTree, error) {
	if name == "" || name[0] == '-' || name[0] == '^' || strings.ContainsFunc(name, isControl) {
		return nil, fmt.Errorf("%q must be the name of a git revision, such as main or HEAD~1", name)
	}
	top, err := output("rev-parse", "--show-toplevel")
	if err != nil {
		return nil, fmt.Errorf("the working folder must be in the work tree of a git repository: %w", err)
	}
	id, err := output("rev-parse", "--verify", "--quiet", name+"^{tree}")
	if err != nil || !isID(id) {
		return nil, fmt.Errorf("%q must be a revision that the git repository has: "+
			"fetch it first (a shallow clone lacks it)", name)
	}
	return &GitTree{
		repository: &repository{top: filepath.FromSlash(top), limit: limit, folders: map[string][]entry{}},
		root:       entry{name: ".", id: id, mode: fs.ModeDir | 0o755},
	}, nil
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// isID tells whether text is an object's id: SHA-1 or SHA-256.
func isID(text string) bool {
	return (len(text) == 40 || len(text) == 64) && strings.Trim(text, "0123456789abcdef") == ""
}

// Close ends the programs that were started.
func (t *GitTree) Close() error { return t.repository.close() }

// Path returns where in the tree a path of the file system is. The path must exist, and be in the repository.
func (t *GitTree) Path(file string) (string, error) {
	absolute, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	// A link at the end is one of the revision's too; those above it may lead into the repository.
	folder, name := filepath.Split(absolute)
	if absolute == t.repository.top {
		return ".", nil
	}
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		return "", err
	}
	below, err := filepath.Rel(t.repository.top, filepath.Join(folder, name))
	if below = filepath.ToSlash(below); err != nil || !fs.ValidPath(below) {
		return "", fmt.Errorf("%q must be in the git repository of the working folder, %q", file, t.repository.top)
	}
	return below, nil
}

// Open implements fs.FS.
func (t *GitTree) Open(name string) (fs.File, error) {
	found, err := t.find("open", name)
	if err != nil {
		return nil, err
	}
	if found.mode.IsDir() {
		return &revisionFolder{info: info{entry: found}, tree: t, name: name}, nil
	}
	return t.repository.open(found)
}

// Stat implements fs.StatFS.
func (t *GitTree) Stat(name string) (fs.FileInfo, error) {
	found, err := t.find("stat", name)
	if err != nil {
		return nil, err
	}
	return t.repository.info(found)
}

// ReadDir implements fs.ReadDirFS.
func (t *GitTree) ReadDir(name string) ([]fs.DirEntry, error) {
	found, err := t.find("readdir", name)
	if err != nil {
		return nil, err
	}
	entries, err := t.repository.folder(found)
	if err != nil {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: err}
	}
	list := make([]fs.DirEntry, len(entries))
	for i, e := range entries {
		list[i] = dirEntry{entry: e, repository: t.repository}
	}
	return list, nil
}

// Sub implements fs.SubFS. Links that lead out of the folder are not followed.
func (t *GitTree) Sub(name string) (fs.FS, error) {
	found, err := t.find("sub", name)
	if err != nil {
		return nil, err
	}
	found.name = "."
	return &GitTree{repository: t.repository, root: found}, nil
}

// mostLinks is how many links a path may lead through.
const mostLinks = 40

var (
	errEscapes = errors.New("link escapes from its folder")
	errLinks   = errors.New("too many links")
)

// find walks down to a path, and through links.
func (t *GitTree) find(operation, name string) (entry, error) {
	fail := func(err error) (entry, error) {
		return entry{}, &fs.PathError{Op: operation, Path: name, Err: err}
	}
	if !fs.ValidPath(name) {
		return fail(fs.ErrInvalid)
	}
	rest := name
	for range mostLinks {
		found, link, err := t.walk(rest)
		switch {
		case err != nil:
			return fail(err)
		case link == "":
			found.name = path.Base(name)
			return found, nil
		case !fs.ValidPath(link):
			return fail(errEscapes)
		}
		rest = link
	}
	return fail(errLinks)
}

// walk walks down to a path. Where it meets a link, it returns the path that is meant.
func (t *GitTree) walk(name string) (found entry, link string, err error) {
	found = t.root
	if name == "." {
		return found, "", nil
	}
	for at := 0; at <= len(name); {
		step, _, _ := strings.Cut(name[at:], "/")
		if found, err = t.repository.child(found, step); err != nil {
			return found, "", err
		}
		if found.mode&fs.ModeSymlink != 0 {
			target, err := t.repository.read(found)
			if err != nil {
				return found, "", err
			}
			if path.IsAbs(string(target)) {
				return found, "", errEscapes
			}
			return found, path.Join(path.Dir(name[:at+len(step)]), string(target), strings.TrimPrefix(name[at+len(step):], "/")), nil
		}
		at += len(step) + 1
	}
	return found, "", nil
}
