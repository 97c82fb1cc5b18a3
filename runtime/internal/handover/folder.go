// Package handover is what passes between the containers of a step's Pod through the volume that they share: the input
// manager prepares the folder, the runner takes the lock, marks that it has started and leaves outputs and an exit code,
// the output manager waits for the lock and reads them. The kernel releases the lock when the runner dies, of whatever
// cause, so that no end is missed.
//
// The script can write to the folder as well. What the managers read there may therefore be anything: a link that leads
// out of the folder, a pipe, a file without end. None of it is followed, waited for or read beyond a limit.
package handover

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

// Folder is the shared volume as one container sees it.
type Folder struct{ root *os.Root }

// Open opens the folder where the volume is mounted: contract.IOFolder in a rendered Pod.
func Open(at string) (*Folder, error) {
	root, err := os.OpenRoot(at)
	if err != nil {
		return nil, fmt.Errorf("the volume %s must be mounted: %w", contract.IOVolume, err)
	}
	return &Folder{root: root}, nil
}

// Mark leaves an empty file that the other containers look for.
func (f *Folder) Mark(file string) error { return f.write(inside(file), nil, readable) }

// Unmark removes such a file where it is.
func (f *Folder) Unmark(file string) error {
	if err := f.root.Remove(inside(file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Marked tells whether the file is there.
func (f *Folder) Marked(file string) bool {
	_, err := f.root.Lstat(inside(file))
	return err == nil
}

// Modes that every user id of the Pod gets along with, whatever the umask is.
const (
	readable   = 0o644
	everybodys = 0o666
	executable = 0o755
	sharedDir  = 0o777
)

// inside is the name in the folder of one of the contract's files.
func inside(file string) string { return strings.TrimPrefix(file, contract.IOFolder+"/") }

// write makes the file appear whole or not at all.
func (f *Folder) write(name string, content []byte, mode fs.FileMode) error {
	fresh := name + ".new"
	if err := f.create(fresh, content, mode); err != nil {
		return err
	}
	return f.root.Rename(fresh, name)
}

func (f *Folder) create(name string, content []byte, mode fs.FileMode) error {
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|syscall.O_NONBLOCK, mode)
	if err != nil {
		return fmt.Errorf("cannot write to the volume %s: %w", contract.IOVolume, err)
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Chmod(mode), file.Close()); err != nil {
		return fmt.Errorf("cannot write to the volume %s: %w", contract.IOVolume, err)
	}
	return nil
}

// read returns at most limit bytes of a regular file and an error where it holds more.
func (f *Folder) read(name string, limit int) ([]byte, error) {
	// The root refuses links that lead out of it. Without O_NONBLOCK a pipe would be waited for.
	file, err := f.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return ReadRegular(file, limit)
}

// ReadRegular returns what the file holds: an error if that is not a regular file or more than limit bytes.
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

// ErrTooLarge says that a file holds more than was asked for.
var ErrTooLarge = errors.New("it is too large")

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

// folders makes the parents of a file, enterable for every user id.
func (f *Folder) folders(name string) error {
	parent := path.Dir(name)
	if parent == "." {
		return nil
	}
	if err := f.folders(parent); err != nil {
		return err
	}
	return f.folder(parent, executable)
}

func (f *Folder) folder(name string, mode fs.FileMode) error {
	if err := f.root.Mkdir(name, mode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return f.root.Chmod(name, mode)
}

// local refuses a name from the plan that leads elsewhere.
func local(name string) error {
	if !filepath.IsLocal(name) || name == "." {
		return fmt.Errorf("the plan names the file %q: it must be a path below the folder", name)
	}
	return nil
}
