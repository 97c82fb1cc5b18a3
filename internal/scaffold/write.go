package scaffold

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/atomicfile"
)

// State is the result of writing a file.
type State string

// The states of a file.
const (
	Created   State = "created"
	Replaced  State = "replaced"
	Unchanged State = "unchanged" // it had this content
)

// Change is a file and the result of writing it.
type Change struct {
	Path  string
	State State
}

// ConflictError means that a file exists with other content.
type ConflictError struct{ File string }

// Error names the file.
func (e *ConflictError) Error() string {
	return e.File + " exists with other content: rename it or choose another name; --force replaces it"
}

// WriteOptions are the options of Write.
type WriteOptions struct {
	// Force replaces files that have other content.
	Force bool
}

// Write writes files below a folder, which is created if it does not exist. Nothing is written if a path leads out of
// the folder, even by a link, or if a file exists with other content (ConflictError). All such paths are reported. Each
// file is written completely or not at all; calling Write again writes missing files.
func Write(ctx context.Context, folder string, files Files, options WriteOptions) ([]Change, error) {
	if err := checkPaths(files); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	lock, err := atomicfile.LockFolder(ctx, folder)
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()
	changes, err := plan(folder, files, options)
	if err != nil {
		return nil, err
	}
	for _, change := range changes {
		if change.State == Unchanged {
			continue
		}
		if err := lock.Replace(change.Path, []byte(files[change.Path])); err != nil {
			return nil, atomicfile.NotChanged(filepath.Join(folder, filepath.FromSlash(change.Path)), err)
		}
	}
	return changes, nil
}

// checkPaths rejects paths that are not clean, or lead out of the folder.
func checkPaths(files Files) error {
	var errs []error
	for _, name := range files.Paths() {
		if path.Clean(name) != name || name == "." || strings.Contains(name, `\`) || !filepath.IsLocal(filepath.FromSlash(name)) {
			errs = append(errs, fmt.Errorf("%q must be the path of a file in the folder", name))
		}
	}
	return errors.Join(errs...)
}

// plan returns the state of each file after writing.
func plan(folder string, files Files, options WriteOptions) ([]Change, error) {
	changes, errs := make([]Change, 0, len(files)), make([]error, 0, len(files))
	for _, name := range files.Paths() {
		state, err := compare(folder, name, files[name])
		var conflict *ConflictError
		if errors.As(err, &conflict) && options.Force {
			state, err = Replaced, nil
		}
		changes, errs = append(changes, Change{name, state}), append(errs, err)
	}
	return changes, errors.Join(errs...)
}

// compare returns the state of a file after writing a content.
func compare(folder, name, content string) (State, error) {
	for i, r := range name {
		if r != '/' {
			continue
		}
		above := filepath.Join(folder, filepath.FromSlash(name[:i]))
		switch info, err := os.Lstat(above); {
		case errors.Is(err, fs.ErrNotExist):
			return Created, nil
		case err != nil:
			return "", err
		case !info.IsDir():
			return "", fmt.Errorf("%s must be a folder, and no link to one", above)
		}
	}
	file := filepath.Join(folder, filepath.FromSlash(name))
	switch info, err := os.Lstat(file); {
	case errors.Is(err, fs.ErrNotExist):
		return Created, nil
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s must be a regular file, and no link to one", file)
	}
	existing, err := os.ReadFile(file)
	switch {
	case err != nil:
		return "", err
	case string(existing) != content:
		return "", &ConflictError{file}
	}
	return Unchanged, nil
}
