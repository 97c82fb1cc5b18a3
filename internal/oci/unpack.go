package oci

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"github.com/resource-plugins/krm-functions/internal/atomicfile"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// Unpack writes a bundle into a folder, the catalog last, and returns the paths that changed. It does not lose data: a
// document with other content is an error, and so is a catalog with entries that the bundle lacks. With force the
// bundle's catalog may lack those that keep allows, which are returned. If a file cannot be written, none is changed.
// Links are not replaced.
func (b *Bundle) Unpack(ctx context.Context, folder string, force bool) ([]string, []resolve.Change, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, nil, err
	}
	lock, err := atomicfile.LockFolder(ctx, folder)
	if err != nil {
		return nil, nil, err
	}
	defer lock.Unlock()
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = root.Close() }()
	fresh, dropped, err := b.compare(root, force)
	if err != nil {
		return nil, nil, err
	}
	if err := atomicfile.Uninterrupted(ctx, func() error { return b.write(root, fresh) }); err != nil {
		return nil, nil, atomicfile.NotChanged(folder, err)
	}
	return fresh, dropped, nil
}

// compare returns the paths whose files in a folder are missing or older, and the losses of the folder's catalog.
func (b *Bundle) compare(root *os.Root, force bool) (fresh []string, dropped []resolve.Change, err error) {
	var clashes []error
	for _, name := range b.paths() {
		text, err := root.ReadFile(name)
		link, linkErr := root.Lstat(name)
		isLink := linkErr == nil && link.Mode()&fs.ModeSymlink != 0
		switch {
		case isLink && (err != nil || !bytes.Equal(text, b.Files[name])):
			clashes = append(clashes, fmt.Errorf("%s must not be a link to another content: remove it, or pull elsewhere", name))
		case errors.Is(err, fs.ErrNotExist):
			fresh = append(fresh, name)
		case err != nil:
			clashes = append(clashes, err)
		case bytes.Equal(text, b.Files[name]):
		case name == CatalogFile:
			fresh = append(fresh, name)
			older, err := readCatalog(text)
			if err == nil {
				dropped, err = keep(older, b.Catalog, force)
			}
			clashes = append(clashes, err)
		default:
			clashes = append(clashes, fmt.Errorf("%s must not be replaced by another content: move it, or pull elsewhere", name))
		}
	}
	return fresh, dropped, errors.Join(clashes...)
}

// write writes new files next to the old ones, and renames them once all are complete. If it is interrupted, the new
// files stay; the next call replaces them.
func (b *Bundle) write(root *os.Root, names []string) (err error) {
	defer func() {
		if err != nil {
			for _, name := range names {
				_ = root.Remove(partOf(name))
			}
		}
	}()
	for _, name := range names {
		if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
			return err
		}
		if err := root.Remove(partOf(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := writePart(root, name, b.Files[name]); err != nil {
			return err
		}
	}
	for _, name := range names {
		if err := root.Rename(partOf(name), name); err != nil {
			return err
		}
	}
	return nil
}

// writePart writes an incomplete file, with the mode of the file that it replaces.
func writePart(root *os.Root, name string, text []byte) error {
	part, err := root.OpenFile(partOf(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = part.Write(text)
	if older, statErr := root.Stat(name); err == nil && statErr == nil {
		err = part.Chmod(older.Mode().Perm())
	}
	if err == nil {
		err = part.Sync()
	}
	return errors.Join(err, part.Close())
}

// partOf returns the path of an incomplete file. Its extension keeps it from being read as a document.
func partOf(name string) string { return path.Join(path.Dir(name), "."+path.Base(name)+".part") }
