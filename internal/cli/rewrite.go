package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
)

// skipError is why a file is left unchanged.
type skipError string

// Error returns the reason.
func (e skipError) Error() string { return string(e) }

// rewrite replaces the content of a file in one step and keeps its permissions. A link is not replaced, and neither is
// a file that changed since it was read: the error is a skipError then.
func rewrite(name string, before, after []byte) error {
	file := filepath.FromSlash(name)
	info, err := os.Lstat(file)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return skipError("it must be in a regular file: name the file that the link leads to")
	}
	current, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !bytes.Equal(current, before) {
		return skipError("the file was changed meanwhile: call again")
	}
	return Uninterrupted(func() error { return replace(file, after, info.Mode().Perm()) })
}

// replace writes a new file next to the old one and renames it.
func replace(file string, content []byte, mode os.FileMode) (err error) {
	temporary, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*")
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
