package unpacker

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Limits of a package folder. The largest that was published has about 200 files and 4 MB.
const (
	maxFiles = 10_000    // files and folders
	maxBytes = 100 << 20 // of all files
	maxDepth = 50        // folders in each other
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
	if _, err := write(root, "unpacker", 0o755, program); err != nil {
		return fmt.Errorf("cannot copy the unpacker to %q: %w", filepath.Join(folder, "unpacker"), err)
	}
	return nil
}

// copyFolder copies a folder of a package image: its regular files and folders. Anything else is an error that names the
// file. Nothing is written outside target, and nothing is read outside source, whatever is in them.
func copyFolder(source, target string) error {
	info, err := os.Lstat(source)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the package image must have the folder %q", source)
	case err != nil:
		return fmt.Errorf("cannot read the folder %q of the package image: %w", source, err)
	case !info.IsDir():
		return fmt.Errorf("%q in the package image must be a folder, not %s", source, typeName(info.Mode()))
	}
	from, err := os.OpenRoot(source)
	if err != nil {
		return fmt.Errorf("cannot read the folder %q of the package image: %w", source, err)
	}
	defer func() { _ = from.Close() }()
	if err := os.Mkdir(target, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("cannot create the folder to copy to: %w", err)
	}
	to, err := os.OpenRoot(target)
	if err != nil {
		return fmt.Errorf("cannot open the folder %q to copy to: %w", target, err)
	}
	defer func() { _ = to.Close() }()
	c := copier{from: from, to: to, source: source, files: maxFiles, bytes: maxBytes}
	return c.folder(".", maxDepth)
}

// copier copies a tree, and counts what may still be copied.
type copier struct {
	from, to *os.Root
	source   string
	files    int
	bytes    int64
}

// folder copies the entries of a folder, in the order of their names.
func (c *copier) folder(name string, depth int) error {
	entries, err := c.entries(name)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		file := path.Join(name, entry.Name())
		switch {
		case entry.Type().IsRegular():
			err = c.file(file)
		case !entry.IsDir():
			err = c.refuse(file, "must be a regular file or a folder, not %s", typeName(entry.Type()))
		case depth == 1:
			err = c.refuse(file, "must not be in more than %d folders", maxDepth)
		default:
			if err = c.to.Mkdir(file, 0o755); errors.Is(err, fs.ErrExist) {
				err = nil // of a container that ran before
			}
			if err == nil {
				err = c.folder(file, depth-1)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// entries returns the sorted entries of a folder. It reads at most as many as may still be copied.
func (c *copier) entries(name string) ([]fs.DirEntry, error) {
	folder, err := c.from.Open(name)
	if err != nil {
		return nil, c.refuse(name, "cannot be read: %w", err)
	}
	defer func() { _ = folder.Close() }()
	entries, err := folder.ReadDir(c.files + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, c.refuse(name, "cannot be read: %w", err)
	}
	if c.files -= len(entries); c.files < 0 {
		return nil, c.refuse(name, "must not bring the package to more than %d files and folders", maxFiles)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

func (c *copier) file(name string) error {
	// Not blocking: what looked like a regular file must not be a pipe that nobody writes to.
	file, err := c.from.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return c.refuse(name, "cannot be read: %w", err)
	}
	defer func() { _ = file.Close() }()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return c.refuse(name, "must be a regular file")
	}
	written, err := write(c.to, name, 0o644, io.LimitReader(file, c.bytes+1))
	if err != nil {
		return c.refuse(name, "cannot be copied: %w", err)
	}
	if c.bytes -= written; c.bytes < 0 {
		return c.refuse(name, "must not bring the package to more than %d MiB", maxBytes>>20)
	}
	return nil
}

func (c *copier) refuse(name, format string, arguments ...any) error {
	return fmt.Errorf("%q in the package image "+format, slices.Concat([]any{path.Join(c.source, name)}, arguments)...)
}

// write writes a new file in place of an old one of a container that ran before. It follows no link.
func write(root *os.Root, name string, mode fs.FileMode, content io.Reader) (written int64, err error) {
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return 0, err
	}
	if written, err = io.Copy(file, content); err == nil {
		err = file.Chmod(mode) // whatever the umask is
	}
	return written, errors.Join(err, file.Close())
}

// typeName names what is neither a regular file nor a folder.
func typeName(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode.IsRegular():
		return "a file"
	default:
		return "a special file"
	}
}
