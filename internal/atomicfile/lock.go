package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// lockTimeout limits how long LockFolder waits for another command that changes files of the same folder, lockInterval is
// how often a command tries.
const (
	lockTimeout  = time.Minute
	lockInterval = 10 * time.Millisecond
)

// errLocked means that another process holds a lock.
var errLocked = errors.New("locked")

// FolderLock is held by the one process that may change the files of a folder, among those that ask for it. The system
// releases it when the process ends, however that happens, and no file remains in the folder.
type FolderLock struct {
	folder string

	mutex sync.Mutex
	held  *os.File // nil once it is released
	guard *Guard
}

// LockFolder waits for the lock of a folder, at most a minute. It is not reentrant.
func LockFolder(ctx context.Context, folder string) (*FolderLock, error) {
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	lock, err := AwaitFolder(ctx, folder)
	if err != nil && errors.Is(err, context.Cause(ctx)) {
		return nil, fmt.Errorf("another command is changing files in %s: try again when it has ended", folder)
	}
	return lock, err
}

// AwaitFolder waits for the lock of a folder until the context ends, and then returns its cause.
func AwaitFolder(ctx context.Context, folder string) (*FolderLock, error) {
	for {
		held, err := tryLock(folder)
		if err == nil {
			return &FolderLock{folder: folder, held: held, guard: guardOf(ctx)}, nil
		}
		if !errors.Is(err, errLocked) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(lockInterval):
		}
	}
}

// isOf reports whether the lock is that of a folder.
func (l *FolderLock) isOf(folder string) bool {
	if l == nil {
		return false
	}
	own, err := os.Stat(l.folder)
	other, otherErr := os.Stat(folder)
	return err == nil && otherErr == nil && os.SameFile(own, other)
}

// Unlock releases the lock, once no file is being replaced.
func (l *FolderLock) Unlock() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	_ = l.held.Close()
	l.held = nil
}

// Replace replaces a file in or below the folder as a whole: a reader finds the old content or the new one, and a signal
// leaves no temporary file. The file's mode stays. Its path is slash-separated. Temporary files of commands that were killed
// meanwhile are removed: no one else writes that file, or below the same folder of this one.
func (l *FolderLock) Replace(name string, content []byte) error {
	return l.replaceAs(name, content, publicFile)
}

// ReplacePrivate is Replace for a file that only its owner may read if it is a new one.
func (l *FolderLock) ReplacePrivate(name string, content []byte) error {
	return l.replaceAs(name, content, privateFile)
}

// The modes of new files.
const (
	publicFile  os.FileMode = 0o644
	privateFile os.FileMode = 0o600
)

func (l *FolderLock) replaceAs(name string, content []byte, mode os.FileMode) error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.held == nil {
		return fmt.Errorf("%s must be locked", l.folder)
	}
	first, _, below := strings.Cut(name, "/")
	prefix, err := l.temporary("." + first)
	if err != nil {
		return err
	}
	file := filepath.Join(l.folder, filepath.FromSlash(name))
	if below {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
	}
	return l.guard.do(func() error { return replace(file, filepath.Join(l.folder, prefix), content, mode) })
}

// ReplaceAll replaces many files of the folder itself, each as Replace does, in the given order. Their temporary files, and
// those of a command that was killed, have the given name.
func (l *FolderLock) ReplaceAll(temporary string, names []string, content func(name string) ([]byte, error)) error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	prefix, err := l.temporary(temporary)
	if err != nil {
		return err
	}
	for _, name := range names {
		text, err := content(name)
		if err != nil {
			return err
		}
		file := filepath.Join(l.folder, name)
		err = l.guard.do(func() error { return replace(file, filepath.Join(l.folder, prefix), text, publicFile) })
		if err != nil {
			return NotChanged(file, err)
		}
	}
	return nil
}

// RemoveAll removes files of the folder.
func (l *FolderLock) RemoveAll(names []string) error {
	for _, name := range names {
		if err := os.Remove(filepath.Join(l.folder, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// temporary returns the prefix of temporary files, and removes leftover ones.
func (l *FolderLock) temporary(name string) (prefix string, err error) {
	prefix = name + ".part-" // the suffix keeps a temporary file from being read as a document
	entries, err := os.ReadDir(l.folder)
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), prefix) && entry.Type().IsRegular() {
			_ = os.Remove(filepath.Join(l.folder, entry.Name()))
		}
	}
	return prefix, err
}

// replace writes a temporary file, whose name starts with a path, and renames it. The mode is that of a new file.
func replace(file, prefix string, content []byte, mode os.FileMode) (err error) {
	if info, err := os.Stat(file); err == nil {
		mode = info.Mode().Perm()
	}
	temporary, err := os.CreateTemp(filepath.Dir(prefix), filepath.Base(prefix)+"*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temporary.Name())
		}
	}()
	if _, err = temporary.Write(content); err == nil {
		err = temporary.Chmod(mode)
	}
	if err == nil {
		err = temporary.Sync()
	}
	if err = errors.Join(err, temporary.Close()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), file)
}
