package oci

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// Unpack writes a bundle into a folder, the catalog last, and returns the paths that changed. Nothing in the folder is
// lost: a document with another content is an error, and so is a catalog whose versions the bundle does not keep. Links
// that lead out of the folder are not followed.
func (b *Bundle) Unpack(folder string) ([]string, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	var fresh []string
	var clashes []error
	for _, name := range b.paths() {
		text, err := root.ReadFile(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			fresh = append(fresh, name)
		case err != nil:
			clashes = append(clashes, err)
		case bytes.Equal(text, b.Files[name]):
		case name == CatalogFile:
			fresh = append(fresh, name)
			clashes = append(clashes, b.keeps(text))
		default:
			clashes = append(clashes, fmt.Errorf("%s must not be replaced by another content: move it, or pull elsewhere", name))
		}
	}
	if err := errors.Join(clashes...); err != nil {
		return nil, err
	}
	for _, name := range fresh {
		if err := cli.Uninterrupted(func() error { return replace(root, name, b.Files[name]) }); err != nil {
			return nil, err
		}
	}
	return fresh, nil
}

// keeps checks that the bundle keeps what the catalog with this text has published.
func (b *Bundle) keeps(text []byte) error {
	older, err := readCatalog(text)
	if err != nil {
		return err
	}
	return resolve.CheckKept(older, b.Catalog)
}

// replace writes a file as a whole, through a temporary one. It must not be interrupted, or that one stays.
func replace(root *os.Root, name string, text []byte) error {
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	part := path.Join(path.Dir(name), ".part-"+path.Base(name))
	if err := root.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := root.WriteFile(part, text, 0o644); err != nil {
		return err
	}
	return root.Rename(part, name)
}
