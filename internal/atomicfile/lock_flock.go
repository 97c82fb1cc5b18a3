//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// tryLock locks a folder itself. A file system without locks, such as some that are mounted from a network, is used
// without.
func tryLock(folder string) (*os.File, error) {
	opened, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(opened.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		_ = opened.Close()
		return nil, errLocked
	}
	return opened, nil
}
