package cli

import (
	"bytes"
	"os"
	"path/filepath"
)

// keptError says why a file is left as it is.
type keptError string

// Error says it in words.
func (e keptError) Error() string { return string(e) }

// rewrite replaces the content of a file at once, so that nobody ever sees half of it; its permissions stay. A link is
// not replaced, and neither is what somebody changed since it was read: the error is a keptError then.
func rewrite(name string, before, after []byte) error {
	file := filepath.FromSlash(name)
	info, err := os.Lstat(file)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return keptError("it must be in a regular file: name the file that the link leads to")
	}
	now, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, before) {
		return keptError("the file was changed meanwhile: call again")
	}
	return ReplaceFile(file, after, info.Mode().Perm())
}

// ReplaceFile replaces a file as a whole: a reader finds the old content or the new one, and a signal leaves no temporary
// file.
func ReplaceFile(name string, content []byte, mode os.FileMode) error {
	return Uninterrupted(func() error { return replace(name, content, mode) })
}

// replace writes a new file beside the old one, and gives it its name.
func replace(file string, content []byte, mode os.FileMode) (err error) {
	fresh, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(fresh.Name())
		}
	}()
	if err = fill(fresh, content, mode); err != nil {
		return err
	}
	return os.Rename(fresh.Name(), file)
}

// fill writes and closes a file.
func fill(file *os.File, content []byte, mode os.FileMode) error {
	_, err := file.Write(content)
	if err == nil {
		err = file.Chmod(mode)
	}
	if err == nil {
		err = file.Sync()
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	return err
}
