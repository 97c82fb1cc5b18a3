//go:build linux

package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// collect copies the outputs to the shared volume. Its error lists all missing and invalid outputs.
func collect(volume *Volume, outputs []contract.Output) error {
	var problems []string
	remaining := contract.MaxOutputBytes
	for _, output := range outputs {
		value, err := read(output.Path, remaining)
		if errors.Is(err, ErrTooLarge) {
			return TooLarge()
		}
		if err == nil {
			remaining -= len(value)
			err = volume.WriteOutput(output.Name, value)
		}
		if err != nil {
			problems = append(problems, fmt.Sprintf("output %q from %q: %v", output.Name, output.Path, err))
		}
	}
	if len(problems) > 0 {
		return errors.New(strings.Join(problems, "; "))
	}
	return nil
}

// read reads an output of the script. It follows links.
func read(path string, limit int) ([]byte, error) {
	file, err := openNonblocking(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing(filepath.Dir(path))
	}
	if err != nil {
		return nil, withoutPath(err)
	}
	defer func() { _ = file.Close() }()
	if isWritten(file) {
		return nil, errors.New("a process still has the file open for writing: the script must wait for the processes that " +
			"it starts")
	}
	value, err := ReadRegular(file, limit)
	if err != nil {
		return nil, err
	}
	var system syscall.Statfs_t
	if syscall.Fstatfs(int(file.Fd()), &system) == nil && isFull(&system, os.Geteuid() == 0) {
		return nil, errFull
	}
	return value, nil
}

// errFull is returned for an output on a full volume: commands such as echo may have failed without ending the script.
var errFull = errors.New("its volume is full, so the value may be incomplete: free space there, or raise the sizeLimit of " +
	"the volume")

// missing explains why a folder does not have the file.
func missing(folder string) error {
	var system syscall.Statfs_t
	if syscall.Statfs(folder, &system) == nil && isFull(&system, os.Geteuid() == 0) {
		return errFull
	}
	text := "the script must write this file, but it does not exist"
	if reason := notWritable(folder); reason != "" {
		text += "; " + reason
	}
	return errors.New(text)
}

// isWritten reports whether a process has the file open for writing: the kernel then refuses a read lease (F_SETLEASE
// in fcntl(2)). With the lease, a process that opens it for writing waits until the runner has read and closed it. It
// returns false if the kernel cannot know: the file system has no leases, or the file belongs to another user.
func isWritten(file *os.File) bool {
	_, _, errno := syscall.Syscall(syscall.SYS_FCNTL, file.Fd(), syscall.F_SETLEASE, syscall.F_RDLCK)
	return errno == syscall.EAGAIN
}

// openNonblocking opens a file for reading without blocking if it is a pipe.
func openNonblocking(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// withoutPath removes the path from an error, since the message has it already.
func withoutPath(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}
