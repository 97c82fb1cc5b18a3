package runner

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// Volume is the volume that the containers of a step's Pod share, as one container sees it. The input manager prepares it;
// the runner locks it, marks that it has started, and writes the outputs and an exit code; the output manager waits for the
// lock and reads them. The kernel releases the lock however the runner ends.
//
// The script can also write to the volume, so its files are not trusted: links that lead out of the volume are not followed,
// pipes do not block, and files are read only up to a limit.
type Volume struct{ root *os.Root }

// OpenVolume opens the volume that is mounted at a folder: contract.IOFolder in a rendered Pod.
func OpenVolume(folder string) (*Volume, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("the volume %s must be mounted: %w", contract.IOVolume, err)
	}
	return &Volume{root: root}, nil
}

// SetMarker creates an empty file that the other containers look for.
func (v *Volume) SetMarker(file string) error { return v.write(relative(file), nil, readable) }

// RemoveMarker removes such a file. It need not exist.
func (v *Volume) RemoveMarker(file string) error {
	if err := v.root.Remove(relative(file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// HasMarker reports whether the file exists.
func (v *Volume) HasMarker(file string) bool {
	_, err := v.root.Lstat(relative(file))
	return err == nil
}

// File modes that work for every user id in the Pod. They are set explicitly, so the umask does not matter.
const (
	readable   = 0o644
	writable   = 0o666
	executable = 0o755
	sharedDir  = 0o777
)

// relative returns the path in the volume of one of the contract's files.
func relative(file string) string { return strings.TrimPrefix(file, contract.IOFolder+"/") }

// write replaces a file atomically.
func (v *Volume) write(name string, content []byte, mode fs.FileMode) error {
	temporary := name + ".new"
	if err := v.create(temporary, content, mode); err != nil {
		return err
	}
	return v.root.Rename(temporary, name)
}

func (v *Volume) create(name string, content []byte, mode fs.FileMode) error {
	file, err := v.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|syscall.O_NONBLOCK, mode)
	if err != nil {
		return fmt.Errorf("cannot write to the volume %s: %w", contract.IOVolume, err)
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Chmod(mode), file.Close()); err != nil {
		return fmt.Errorf("cannot write to the volume %s: %w", contract.IOVolume, err)
	}
	return nil
}

// read returns the content of a regular file of at most limit bytes.
func (v *Volume) read(name string, limit int) ([]byte, error) {
	// os.Root refuses links that lead out of it. Without O_NONBLOCK, opening a pipe would block.
	file, err := v.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return ReadRegular(file, limit)
}

// ReadRegular returns the content of a file. It is an error if the file is not regular or has more than limit bytes.
func ReadRegular(file *os.File, limit int) ([]byte, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("it must be a regular file, not a %s", kind(info.Mode()))
	}
	content, err := io.ReadAll(io.LimitReader(file, int64(limit)+1))
	if err != nil {
		return nil, err
	}
	if len(content) > limit {
		return nil, ErrTooLarge
	}
	return content, nil
}

// ErrTooLarge is returned for a file with more bytes than the limit.
var ErrTooLarge = errors.New("file too large")

func kind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "folder"
	case mode&fs.ModeNamedPipe != 0:
		return "pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeSymlink != 0:
		return "link"
	default:
		return "device"
	}
}

// makeParents creates the parent folders of a file, accessible to every user id.
func (v *Volume) makeParents(name string) error {
	parent := path.Dir(name)
	if parent == "." {
		return nil
	}
	if err := v.makeParents(parent); err != nil {
		return err
	}
	return v.makeFolder(parent, executable)
}

func (v *Volume) makeFolder(name string, mode fs.FileMode) error {
	if err := v.root.Mkdir(name, mode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return v.root.Chmod(name, mode)
}

// checkLocal rejects a name from the plan that leads out of the volume.
func checkLocal(name string) error {
	if !filepath.IsLocal(name) || name == "." {
		return fmt.Errorf("file name %q in the plan must be a relative path without \"..\"", name)
	}
	return nil
}
