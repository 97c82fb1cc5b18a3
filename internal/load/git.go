package load

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// redirections are the variables with which git reads another repository than that of the working folder, or other objects.
var redirections = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
	"GIT_NAMESPACE", "GIT_PREFIX", "GIT_SHALLOW_FILE", "GIT_GRAFT_FILE", "GIT_REPLACE_REF_BASE",
}

// git returns a command that only reads, in the repository of the working folder. The settings keep it from fetching objects
// that a partial clone lacks, from replacing objects, from asking for a password, and from translating messages.
func git(args ...string) *exec.Cmd {
	command := exec.Command("git", append([]string{"--no-pager", "-c", "core.quotepath=off"}, args...)...)
	command.Env = slices.DeleteFunc(command.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(redirections, name)
	})
	command.Env = append(command.Env,
		"LC_ALL=C", "GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0")
	return command
}

// GitOutput runs git in the repository of the working folder, as OpenRevision does, and returns its output. Arguments must
// not come from documents.
func GitOutput(args ...string) (string, error) {
	out, err := git(args...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if line, _, _ := strings.Cut(string(exit.Stderr), "\n"); line != "" {
			return "", errors.New(line)
		}
	}
	return string(out), err
}

// TopLevel returns the top folder of the git work tree that holds a folder, empty if no work tree does. It does not run
// git.
func TopLevel(folder string) string {
	for {
		if _, err := os.Lstat(filepath.Join(folder, ".git")); err == nil { // a file in a linked work tree
			return folder
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return ""
		}
		folder = parent
	}
}

// GitObjects reads objects from one `git cat-file --batch`, which is started when the first one is read.
type GitObjects struct {
	lock    sync.Mutex
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

func (o *GitObjects) start() (err error) {
	command := git("cat-file", "--batch")
	if o.in, err = command.StdinPipe(); err != nil {
		return err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	o.out = bufio.NewReader(out)
	if err := command.Start(); err != nil {
		return err
	}
	o.command = command
	return nil
}

// Read returns the content of an object, by its id.
func (o *GitObjects) Read(id string) ([]byte, error) {
	o.lock.Lock()
	defer o.lock.Unlock()
	if o.command == nil {
		if err := o.start(); err != nil {
			return nil, err
		}
	}
	if _, err := io.WriteString(o.in, id+"\n"); err != nil {
		return nil, err
	}
	// `<id> <type> <size>`, or `<id> missing`; then the content and a newline.
	line, err := o.out.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("git ended early: %w", err)
	}
	words := strings.Fields(line)
	if len(words) != 3 {
		return nil, fmt.Errorf("the git repository must have the object %s: fetch it first (a partial clone lacks some)", id)
	}
	size, err := strconv.Atoi(words[2])
	if err != nil {
		return nil, err
	}
	content := make([]byte, size+1)
	if _, err := io.ReadFull(o.out, content); err != nil {
		return nil, fmt.Errorf("git ended early: %w", err)
	}
	return content[:size], nil
}

// Close ends the program that was started.
func (o *GitObjects) Close() error {
	o.lock.Lock()
	defer o.lock.Unlock()
	if o.command == nil {
		return nil
	}
	return errors.Join(o.in.Close(), o.command.Wait())
}

// openFile is an open file or folder.
type openFile struct {
	*gitFile
	path    string
	content *bytes.Reader // nil if it is a folder or too large
	rest    []fs.DirEntry // not returned yet
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.gitFile, nil }
func (f *openFile) Close() error               { return nil }

func (f *openFile) Read(into []byte) (int, error) {
	if f.content == nil {
		return 0, &fs.PathError{Op: "read", Path: f.path, Err: errors.New("a folder, or too large to be read")}
	}
	return f.content.Read(into)
}

// ReadDir implements fs.ReadDirFile.
func (f *openFile) ReadDir(n int) ([]fs.DirEntry, error) {
	if !f.IsDir() {
		return nil, &fs.PathError{Op: "readdir", Path: f.path, Err: errors.New("not a folder")}
	}
	switch {
	case n <= 0:
		n = len(f.rest)
	case len(f.rest) == 0:
		return nil, io.EOF
	}
	some := f.rest[:min(n, len(f.rest))]
	f.rest = f.rest[len(some):]
	return some, nil
}
