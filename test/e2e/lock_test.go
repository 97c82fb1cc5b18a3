//go:build e2e

package e2e

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// nodeLock is held shared by tests that need an undisturbed node, exclusively by those that disturb it: several runs may
// use one node.
const nodeLock = "/tmp/node.lock"

func shareNode(t *testing.T) {
	t.Helper()
	lockNode(t, syscall.LOCK_SH)
}

// disturbNode waits until nobody else uses the node. The test's namespaces must not hold the lock yet.
func disturbNode(t *testing.T) {
	t.Helper()
	lockNode(t, syscall.LOCK_EX)
}

// held is the lock of the running test; tests run one after the other.
var held *os.File

func lockNode(t *testing.T, how int) {
	t.Helper()
	if held != nil {
		return
	}
	skipWithout(t, needed, "the test to start")
	file, err := os.OpenFile(nodeLock, os.O_CREATE|os.O_RDWR, 0o666)
	require.NoError(t, err)
	require.NoError(t, syscall.Flock(int(file.Fd()), how))
	held = file
	t.Cleanup(func() {
		held = nil
		file.Close()
	})
}
