package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// lockTimeout limits how long a command waits for another one that changes files of the same folder, lockInterval is how
// often it tries.
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
	held   *os.File
}

// LockFolder waits for the lock of a folder. It is not reentrant.
func LockFolder(ctx context.Context, folder string) (*FolderLock, error) {
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	for {
		held, err := tryLock(folder)
		if err == nil {
			return &FolderLock{folder, held}, nil
		}
		if !errors.Is(err, errLocked) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("another command is changing files in %s: try again when it has ended", folder)
		case <-time.After(lockInterval):
		}
	}
}

// Unlock releases the lock.
func (l *FolderLock) Unlock() { _ = l.held.Close() }

// Replace replaces a file of the folder as a whole, as ReplaceFile does. It also removes the temporary files of commands
// that were killed while they replaced it: nobody else writes it now.
func (l *FolderLock) Replace(name string, content []byte) error {
	entries, err := os.ReadDir(l.folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), partPrefix(name)) && entry.Type().IsRegular() {
			_ = os.Remove(filepath.Join(l.folder, entry.Name()))
		}
	}
	return ReplaceFile(filepath.Join(l.folder, name), content)
}

// UpdateFile replaces a file with the content that change returns, nil if it stays as it is. Commands that update files
// of one folder take turns, so that none undoes what another has done. If the file was changed meanwhile, by an editor
// for example, that is an error, and so is a write that fails; the file has its old content then.
func UpdateFile(ctx context.Context, name string, change func() ([]byte, error)) error {
	target := name
	if resolved, err := filepath.EvalSymlinks(name); err == nil {
		target = resolved
	}
	lock, err := LockFolder(ctx, filepath.Dir(target))
	if err != nil {
		return err
	}
	defer lock.Unlock()
	before, err := readIfExists(target)
	if err != nil {
		return err
	}
	content, err := change()
	if content == nil || err != nil {
		return err
	}
	if after, err := readIfExists(target); err != nil || string(after) != string(before) {
		return errors.Join(err, fmt.Errorf("%s was changed meanwhile: call again", name))
	}
	if err := lock.Replace(filepath.Base(target), content); err != nil {
		return NotChanged(name, err)
	}
	return nil
}

// readIfExists returns the content of a file, nil if it does not exist.
func readIfExists(name string) ([]byte, error) {
	content, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return content, err
}

// NotChanged words the error of a write that failed, without the names of temporary files.
func NotChanged(name string, err error) error {
	var failed *fs.PathError
	if errors.As(err, &failed) && strings.Contains(filepath.Base(failed.Path), ".part") {
		err = failed.Err
	}
	return fmt.Errorf("%s is not changed: %w", name, err)
}
