//go:build unix

package localrun

import (
	"errors"
	"os"
	"syscall"
)

// exists reports whether a process exists, even if it belongs to another user.
func exists(process *os.Process) bool {
	err := process.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, syscall.EPERM)
}
