package handover

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// Lock is held from Take until Release or the end of the process, whichever comes first. It is not inherited by the
// processes that its holder starts.
type Lock struct{ file *os.File }

// ErrHeld says that another process holds the lock.
var ErrHeld = errors.New("the lock is held")

// Take waits until no other process holds the lock.
func (f *Folder) Take() (*Lock, error) { return f.lock(0) }

// Try takes the lock or returns ErrHeld.
func (f *Folder) Try() (*Lock, error) { return f.lock(syscall.LOCK_NB) }

// Release gives the lock back.
func (l *Lock) Release() { _ = l.file.Close() }

func (f *Folder) makeLock() error {
	name := inside(contract.LockFile)
	file, err := f.root.OpenFile(name, os.O_RDWR|os.O_CREATE, everybodys)
	if err != nil {
		return err
	}
	return errors.Join(file.Chmod(everybodys), file.Close())
}

func (f *Folder) lock(how int) (*Lock, error) {
	file, err := f.root.OpenFile(inside(contract.LockFile), os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot open the lock that the input manager made: %w", err)
	}
	for {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|how)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err == nil {
		return &Lock{file: file}, nil
	}
	_ = file.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, ErrHeld
	}
	return nil, fmt.Errorf("cannot take the lock: %w", err)
}
