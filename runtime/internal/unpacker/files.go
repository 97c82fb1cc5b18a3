package unpacker

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/resource-plugins/krm-functions/stacks/registry"
	"github.com/resource-plugins/krm-functions/stacks/unpacking"
)

// copySelf copies the program, whose file is self, into a folder, for a container of another image.
func copySelf(self, folder string) error {
	program, err := os.Open(self)
	if err != nil {
		return fmt.Errorf("cannot read the unpacker's own program: %w", err)
	}
	defer func() { _ = program.Close() }()
	copied := filepath.Join(folder, unpacking.Binary)
	if err := writeFile(copied, program, 0o755); err != nil {
		return fmt.Errorf("cannot copy the unpacker to %q: %w", copied, err)
	}
	return nil
}

// readFolder reads the files of a `.registry` folder. It never reads outside of it.
func readFolder(folder string) (registry.Files, error) {
	info, err := os.Lstat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s must exist", folder)
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", folder, err)
	case !info.IsDir():
		return nil, fmt.Errorf("%s must be a folder", folder)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", folder, err)
	}
	defer func() { _ = root.Close() }()
	files, err := registry.ReadFolder(root.FS(), ".")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", folder, err)
	}
	return files, nil
}

// writeFile writes a new file in place of one of an earlier run: the kubelet may run init containers again. It does not
// follow links.
func writeFile(name string, content io.Reader, mode fs.FileMode) error {
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	base := filepath.Base(name)
	if err := root.Remove(base); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := root.OpenFile(base, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if _, err = io.Copy(file, content); err == nil {
		err = file.Chmod(mode) // regardless of the umask
	}
	return errors.Join(err, file.Close())
}
