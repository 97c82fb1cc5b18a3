//go:build e2e

package e2e

import (
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// nodeLock is locked shared by tests that need a working API server, and exclusively by tests that stop it: several test
// runs may use one node.
const nodeLock = "/tmp/node.lock"

func lockNodeShared(t *testing.T) {
	t.Helper()
	lockNode(t, syscall.LOCK_SH)
}

// lockNodeExclusive waits until no other test uses the node. It must be called before newNamespace.
func lockNodeExclusive(t *testing.T) {
	t.Helper()
	lockNode(t, syscall.LOCK_EX)
}

// nodeLocks has the names of the tests that hold the lock. What a test holds, its subtests hold.
var nodeLocks sync.Map

func lockNode(t *testing.T, how int) {
	t.Helper()
	for name := t.Name(); name != ""; name = name[:max(strings.LastIndexByte(name, '/'), 0)] {
		if _, isHeld := nodeLocks.Load(name); isHeld {
			return
		}
	}
	skipUnlessTimeLeft(t, minTestTime, "the test to start")
	file, err := os.OpenFile(nodeLock, os.O_CREATE|os.O_RDWR, 0o666)
	require.NoError(t, err)
	require.NoError(t, syscall.Flock(int(file.Fd()), how))
	nodeLocks.Store(t.Name(), true)
	t.Cleanup(func() {
		nodeLocks.Delete(t.Name())
		file.Close()
	})
}
