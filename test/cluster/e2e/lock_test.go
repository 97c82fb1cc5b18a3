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

// sandboxUsers are the tests that use a sandbox, by its name, and how often.
var sandboxUsers = struct {
	*sync.Cond
	tests map[string]string
	count map[string]int
}{sync.NewCond(&sync.Mutex{}), map[string]string{}, map[string]int{}}

// lockSandbox waits until no other test uses a sandbox of this name: sandboxes of one name and cluster have one id, and the commands
// of pages delete the objects of an id in all namespaces.
func lockSandbox(t *testing.T, name string) {
	t.Helper()
	u, test := &sandboxUsers, strings.SplitN(t.Name(), "/", 2)[0]
	u.L.Lock()
	defer u.L.Unlock()
	for u.count[name] > 0 && u.tests[name] != test {
		u.Wait()
	}
	u.tests[name] = test
	u.count[name]++
	t.Cleanup(func() {
		u.L.Lock()
		defer u.L.Unlock()
		u.count[name]--
		u.Broadcast()
	})
}
