package atomicfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Update is an update of a file. Commands that update files of one folder take turns, so that none undoes what another
// has done.
type Update struct {
	name   string
	target string // where the file is, if name is a link
	before []byte // nil if the file does not exist
	lock   *FolderLock
	isHeld bool // the lock is that of another update
}

// OpenUpdate waits until no other command changes files of the folder, and reads the file, if it exists. A link is followed.
// Held is the lock that this command has already; or nil.
func OpenUpdate(ctx context.Context, name string, held *FolderLock) (*Update, error) {
	u := &Update{name: name, target: name}
	if info, err := os.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if u.target, err = filepath.EvalSymlinks(name); err != nil {
			return nil, fmt.Errorf("%s must not be a link that leads nowhere: %w", name, err)
		}
	}
	var err error
	if folder := filepath.Dir(u.target); held.isOf(folder) {
		u.lock, u.isHeld = held, true
	} else if u.lock, err = LockFolder(ctx, folder); err != nil {
		return nil, err
	}
	if u.before, err = readIfExists(u.target); err != nil {
		u.Close()
		return nil, err
	}
	return u, nil
}

// Write replaces the file as a whole. If it was changed since it was opened, by an editor for example, that is an error,
// and so is a write that fails; the file has its old content then.
func (u *Update) Write(content []byte) error {
	if now, err := readIfExists(u.target); err != nil || !bytes.Equal(now, u.before) {
		return errors.Join(err, fmt.Errorf("%s was changed meanwhile: call again", u.name))
	}
	if err := u.lock.Replace(filepath.Base(u.target), content); err != nil {
		return NotChanged(u.name, err)
	}
	return nil
}

// Lock is the lock of the folder, for further updates.
func (u *Update) Lock() *FolderLock {
	if u == nil {
		return nil
	}
	return u.lock
}

// Close lets other commands change files of the folder.
func (u *Update) Close() {
	if !u.isHeld {
		u.lock.Unlock()
	}
}

// UpdateFile replaces a file with the content that change returns, nil if it stays as it is.
func UpdateFile(ctx context.Context, name string, change func() ([]byte, error)) error {
	update, err := OpenUpdate(ctx, name, nil)
	if err != nil {
		return err
	}
	defer update.Close()
	content, err := change()
	if content == nil || err != nil {
		return err
	}
	return update.Write(content)
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

// SkipError is why a file is left unchanged.
type SkipError string

// Error returns the reason.
func (e SkipError) Error() string { return string(e) }

// Rewrite replaces the content of a file that was read before. A link is not replaced, and neither is a file that changed
// since it was read: the error is a SkipError then.
func Rewrite(ctx context.Context, name string, before, after []byte, held *FolderLock) error {
	file := filepath.FromSlash(name)
	info, err := os.Lstat(file)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return SkipError("it must be in a regular file: name the file that the link leads to")
	}
	update, err := OpenUpdate(ctx, file, held)
	if err != nil {
		return err
	}
	defer update.Close()
	if !bytes.Equal(update.before, before) {
		return SkipError("the file was changed meanwhile: call again")
	}
	return update.Write(after)
}
