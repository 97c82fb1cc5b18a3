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
	return ReplaceFile(file, after)
}

// ReplaceFile replaces a file as a whole: a reader finds the old content or the new one, and a signal leaves no temporary
// file. A link is followed, and the file's mode stays.
func ReplaceFile(name string, content []byte) error {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	mode := os.FileMode(0o644)
	if info, err := os.Stat(name); err == nil {
		mode = info.Mode().Perm()
	}
	return Uninterrupted(func() error { return replace(name, content, mode) })
}

// partPrefix is how the names of a file's temporary files begin. Their end keeps them from being read as documents.
func partPrefix(name string) string { return "." + name + ".part-" }

// replace writes a new file next to the old one and renames it.
func replace(file string, content []byte, mode os.FileMode) (err error) {
	temporary, err := os.CreateTemp(filepath.Dir(file), partPrefix(filepath.Base(file))+"*")
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
