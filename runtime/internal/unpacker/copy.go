package unpacker

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

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
	root, err := os.OpenRoot(folder)
	if err != nil {
		return fmt.Errorf("cannot open the folder %q to copy the unpacker to: %w", folder, err)
	}
	defer func() { _ = root.Close() }()
	if err := write(root, strings.TrimPrefix(unpacking.Binary, "/"), 0o755, program); err != nil {
		return fmt.Errorf("cannot copy the unpacker to %q: %w", filepath.Join(folder, unpacking.Binary), err)
	}
	return nil
}

// copyFolder copies the files of the folder of a package image, with the limits of registry.ReadFolder. If that rejects
// the package, nothing is copied. It never writes outside target, and never reads outside source.
func copyFolder(source, target string) error {
	files, err := readFolder(source)
	if err != nil {
		return fmt.Errorf("in the package image: %w", err)
	}
	if err := os.Mkdir(target, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("cannot create the folder to copy to: %w", err)
	}
	root, err := os.OpenRoot(target)
	if err != nil {
		return fmt.Errorf("cannot open the folder %q to copy to: %w", target, err)
	}
	defer func() { _ = root.Close() }()
	for _, name := range files.Paths() {
		err := root.MkdirAll(path.Dir(name), 0o755)
		if err == nil {
			err = write(root, name, 0o644, strings.NewReader(string(files[name])))
		}
		if err != nil {
			return fmt.Errorf("cannot copy %q: %w", path.Join(source, name), err)
		}
	}
	return nil
}

// readFolder reads the files of a `.registry` folder.
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

// write writes a new file in place of one of an earlier container. It does not follow links.
func write(root *os.Root, name string, mode fs.FileMode, content io.Reader) error {
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if _, err = io.Copy(file, content); err == nil {
		err = file.Chmod(mode) // regardless of the umask
	}
	return errors.Join(err, file.Close())
}
