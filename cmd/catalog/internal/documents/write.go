package documents

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// WriteCatalog writes a Catalog document to a file, and tells whether that changed the file. Where it says the same
// already the file is not touched, so that comments stay.
func WriteCatalog(path string, c *resolve.CatalogDocument) (bool, error) {
	text, err := c.Bytes()
	if err != nil {
		return false, err
	}
	if same, err := says(path, text); same || err != nil {
		return false, err
	}
	return true, WriteFile(path, text)
}

// says tells whether a file holds a catalog that prints as text.
func says(path string, text []byte) (bool, error) {
	old, err := ReadCatalog(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	printed, err := old.Bytes()
	return bytes.Equal(printed, text), err
}

// WriteFile replaces a file as a whole: whoever reads it finds the old text or the new one, never a part, and a signal
// leaves nothing beside it. A link is followed, and the file's mode stays.
func WriteFile(path string, text []byte) error {
	return cli.Uninterrupted(func() error { return writeFile(path, text) })
}

func writeFile(path string, text []byte) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".catalog-*")
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}
