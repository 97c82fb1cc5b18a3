//go:build unix && !linux

package process

import (
	"syscall"
	"time"
)

// awaitOthers waits for the processes of a script's group, and reports whether some do not end. The caller kills them.
func awaitOthers(script int, _ string) bool {
	for end := time.Now().Add(othersGrace); time.Now().Before(end); time.Sleep(othersInterval) {
		if syscall.Kill(-script, 0) != nil {
			return false
		}
	}
	return true
}
