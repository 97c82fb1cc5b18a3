package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// Constants of CreateFile that the package syscall lacks.
const (
	deleteAccess          = 0x00010000
	fileFlagDeleteOnClose = 0x04000000
	errorSharingViolation = syscall.Errno(32)
)

// tryLock creates a file that no other process can open. Windows cannot lock a folder, but deletes this file when it is
// closed, even if the process is killed.
func tryLock(folder string) (*os.File, error) {
	if _, err := os.Stat(folder); err != nil {
		return nil, err
	}
	name := filepath.Join(folder, ".rplug.lock")
	text, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	handle, err := syscall.CreateFile(text, syscall.GENERIC_WRITE|deleteAccess, 0, nil, syscall.OPEN_ALWAYS,
		syscall.FILE_ATTRIBUTE_HIDDEN|fileFlagDeleteOnClose, 0)
	switch {
	case errors.Is(err, errorSharingViolation), errors.Is(err, syscall.ERROR_ACCESS_DENIED): // denied while it is deleted
		return nil, errLocked
	case err != nil:
		return nil, &os.PathError{Op: "lock", Path: folder, Err: err}
	}
	return os.NewFile(uintptr(handle), name), nil
}
