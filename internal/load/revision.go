package load

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Revision is the files of a git revision, as an fs.FS whose paths begin at the top of the repository. Links are
// followed if they lead to other files of the revision. It may be used by several goroutines, and must be closed.
//
// Only this package runs git. A revision that looks like an option is refused before git sees it, and of a repository's
// content git gets only the ids of objects. The commands only read: they run no hook, filter or pager, and fetch nothing.
type Revision struct {
	top     string // the folder of the work tree
	limit   int64  // of a file's size
	root    string // the folder that paths begin at
	files   map[string]*gitFile
	objects *GitObjects
}

// gitFile is one file, folder or link of a revision; it implements fs.FileInfo. Git keeps no times.
type gitFile struct {
	name, id string
	mode     fs.FileMode
	size     int64
	children []fs.DirEntry // of a folder, sorted
}

func (f *gitFile) Name() string       { return f.name }
func (f *gitFile) Size() int64        { return f.size }
func (f *gitFile) Mode() fs.FileMode  { return f.mode }
func (f *gitFile) ModTime() time.Time { return time.Time{} }
func (f *gitFile) IsDir() bool        { return f.mode.IsDir() }
func (f *gitFile) Sys() any           { return nil }

// OpenRevision returns the files of a revision of the repository that contains the working folder. Files larger than
// limit, in bytes, cannot be read.
func OpenRevision(name string, limit int64) (*Revision, error) {
	isControl := func(r rune) bool { return r < ' ' || r == 0x7f }
	if name == "" || name[0] == '-' || name[0] == '^' || strings.ContainsFunc(name, isControl) {
		return nil, fmt.Errorf("%q must be the name of a git revision, such as main or HEAD~1", name)
	}
	top, err := workTree()
	if err != nil {
		return nil, fmt.Errorf("the working folder must be in the work tree of a git repository: %w", err)
	}
	listing, err := listTree(name)
	if err != nil {
		return nil, err
	}
	files, err := parseTree(listing)
	if err != nil {
		return nil, err
	}
	return &Revision{
		top: top, limit: limit, root: ".", files: files, objects: &GitObjects{},
	}, nil
}

// listTree lists the files of a revision for parseTree. HEAD of a repository without a commit has none: hooks compare with
// it before the first commit, too.
func listTree(name string) (string, error) {
	id, err := GitOutput("rev-parse", "--verify", "--quiet", name+"^{tree}")
	if id = strings.TrimSpace(id); err == nil && isID(id) {
		return GitOutput("ls-tree", "-r", "-z", "-l", "--full-tree", id)
	}
	if name == "HEAD" {
		if _, err := GitOutput("symbolic-ref", "--quiet", name); err == nil {
			return "", nil
		}
	}
	return "", fmt.Errorf("%q must be a revision that the git repository has: fetch it first (a shallow clone lacks it)", name)
}

// workTree returns the top of the work tree that the working folder is in: the folder with .git, regardless of
// core.worktree of the repository.
func workTree() (string, error) {
	if _, err := GitOutput("rev-parse", "--git-dir"); err != nil {
		return "", err
	}
	folder, err := filepath.Abs(".")
	if err == nil {
		folder, err = filepath.EvalSymlinks(folder)
	}
	if err != nil {
		return "", err
	}
	top := TopLevel(folder)
	if top == "" {
		return "", errors.New("no folder above has .git")
	}
	return top, nil
}

// isID reports whether text is an object's id: SHA-1 or SHA-256.
func isID(text string) bool {
	return (len(text) == 40 || len(text) == 64) && strings.Trim(text, "0123456789abcdef") == ""
}

// Close ends the program that was started.
func (r *Revision) Close() error { return r.objects.Close() }

// Path returns where in the revision a path of the file system is. The path must exist, and be in the repository.
func (r *Revision) Path(file string) (string, error) {
	absolute, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	if absolute == r.top {
		return ".", nil
	}
	// A link at the end is in the revision too; the folders above it may be links into the repository.
	folder, name := filepath.Split(absolute)
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		return "", err
	}
	below, err := filepath.Rel(r.top, filepath.Join(folder, name))
	if below = filepath.ToSlash(below); err != nil || !fs.ValidPath(below) {
		return "", fmt.Errorf("%q must be in the git repository of the working folder, %q", file, r.top)
	}
	return below, nil
}

// Open implements fs.FS.
func (r *Revision) Open(name string) (fs.File, error) {
	file, err := r.find("open", name)
	if err != nil {
		return nil, err
	}
	opened := &openFile{gitFile: file, path: name}
	switch {
	case file.IsDir():
		opened.rest = file.children
	case !file.mode.IsRegular():
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("not a regular file")}
	case file.size <= r.limit: // a larger one has a size only
		content, err := r.objects.Read(file.id)
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
		opened.content = bytes.NewReader(content)
	}
	return opened, nil
}

// Stat implements fs.StatFS.
func (r *Revision) Stat(name string) (fs.FileInfo, error) {
	file, err := r.find("stat", name)
	if err != nil {
		return nil, err
	}
	return file, nil
}

// ID returns the id of a file's content, empty if there is no such file. A path may lead through links: the id is that of
// the file that is read.
func (r *Revision) ID(name string) string {
	file, err := r.find("stat", name)
	if err != nil || !file.mode.IsRegular() {
		return ""
	}
	return file.id
}

// Sub implements fs.SubFS. Links that lead out of the folder are not followed.
func (r *Revision) Sub(name string) (fs.FS, error) {
	if _, err := r.find("sub", name); err != nil {
		return nil, err
	}
	below := *r
	below.root = path.Join(r.root, name)
	return &below, nil
}

const (
	maxLinks  = 40      // that a path may lead through
	maxTarget = 4 << 10 // the size of a link's target, in bytes
)

// find returns the file at a path, and follows links.
func (r *Revision) find(operation, name string) (*gitFile, error) {
	fail := func(err error) (*gitFile, error) { return nil, &fs.PathError{Op: operation, Path: name, Err: err} }
	if !fs.ValidPath(name) {
		return fail(fs.ErrInvalid)
	}
	at := name
	for range maxLinks {
		link, rest := r.link(at)
		if link == nil {
			file := r.files[path.Join(r.root, at)]
			if file == nil {
				return fail(fs.ErrNotExist)
			}
			found := *file
			found.name = path.Base(name)
			return &found, nil
		}
		if link.size > maxTarget {
			return fail(errors.New("link with too long a target"))
		}
		target, err := r.objects.Read(link.id)
		if err != nil {
			return fail(err)
		}
		folder := path.Dir(strings.TrimSuffix(at, rest))
		if at = path.Join(folder, string(target), rest); path.IsAbs(string(target)) || !fs.ValidPath(at) {
			return fail(errors.New("link escapes from its folder"))
		}
	}
	return fail(errors.New("too many links"))
}

// link returns the first link that a path leads through, and the rest of the path below it.
func (r *Revision) link(name string) (link *gitFile, rest string) {
	for end := range len(name) + 1 {
		if end < len(name) && name[end] != '/' {
			continue
		}
		if file := r.files[path.Join(r.root, name[:end])]; file != nil && file.mode&fs.ModeSymlink != 0 {
			return file, name[end:]
		}
	}
	return nil, ""
}

// parseTree reads the output of `git ls-tree -r -z -l`: for each file its mode, type, id and size, a tab, the path and NUL.
func parseTree(listing string) (map[string]*gitFile, error) {
	files := map[string]*gitFile{".": {name: ".", mode: fs.ModeDir | 0o755}}
	for line := range strings.SplitSeq(strings.TrimSuffix(listing, "\x00"), "\x00") {
		head, name, _ := strings.Cut(line, "\t")
		words := strings.Fields(head)
		switch {
		case line == "":
			continue
		case len(words) != 4 || !isID(words[2]) || !fs.ValidPath(name) || name == ".":
			return nil, fmt.Errorf("git must list files, not %q", line)
		}
		file := &gitFile{name: path.Base(name), id: words[2], mode: 0o644}
		file.size, _ = strconv.ParseInt(words[3], 10, 64)
		switch words[0] {
		case "120000":
			file.mode = fs.ModeSymlink | 0o777
		case "160000": // a submodule, whose files are in another repository
			file.mode = fs.ModeIrregular
		}
		addFile(files, name, file)
	}
	for _, file := range files {
		slices.SortFunc(file.children, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	}
	return files, nil
}

// addFile adds a file and the folders that it is in.
func addFile(files map[string]*gitFile, name string, file *gitFile) {
	if files[name] != nil {
		return // made-up objects may repeat a name
	}
	files[name] = file
	folder := path.Dir(name)
	if files[folder] == nil {
		addFile(files, folder, &gitFile{name: path.Base(folder), mode: fs.ModeDir | 0o755})
	}
	files[folder].children = append(files[folder].children, fs.FileInfoToDirEntry(file))
}
