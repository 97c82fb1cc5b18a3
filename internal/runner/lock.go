//go:build unix

package runner

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// Lock is held until Unlock or the end of the process. Child processes do not inherit it.
type Lock struct{ file *os.File }

// ErrLocked is returned if another process holds the lock.
var ErrLocked = errors.New("locked by another process")

// Lock waits until no other process holds the lock, and takes it.
func (v *Volume) Lock() (*Lock, error) { return v.flock(0) }

// TryLock takes the lock or returns ErrLocked.
func (v *Volume) TryLock() (*Lock, error) { return v.flock(syscall.LOCK_NB) }

// Unlock releases the lock.
func (l *Lock) Unlock() { _ = l.file.Close() }

func (v *Volume) flock(flags int) (*Lock, error) {
	file, err := v.root.OpenFile(relative(contract.LockFile), os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot open the lock file: the input manager must run first: %w", err)
	}
	for {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|flags)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err == nil {
		return &Lock{file: file}, nil
	}
	_ = file.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, ErrLocked
	}
	return nil, fmt.Errorf("cannot take the lock: %w", err)
}
