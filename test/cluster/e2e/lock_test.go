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

// nodeLock is locked shared by tests that need a working API server, and exclusively by tests that stop it, that measure, or
// that compare all objects of the cluster: several processes of tests may use one node.
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

// nodeLocks has the names of the tests that hold the lock. Their subtests hold it too.
var nodeLocks sync.Map

func lockNode(t *testing.T, how int) {
	t.Helper()
	for name := t.Name(); name != ""; name = name[:max(strings.LastIndexByte(name, '/'), 0)] {
		if _, isHeld := nodeLocks.Load(name); isHeld {
			return
		}
	}
	skipUnlessTimeLeft(t, minTestTime, "the test to start")
	queue := lockFile(t, nodeLock+".queue", syscall.LOCK_EX) // nothing overtakes a test that waits for the whole node
	file := lockFile(t, nodeLock, how)
	queue.Close()
	nodeLocks.Store(t.Name(), true)
	t.Cleanup(func() {
		nodeLocks.Delete(t.Name())
		file.Close()
	})
}

// lockFile waits for a lock, which closing the file ends.
func lockFile(t *testing.T, name string, how int) *os.File {
	t.Helper()
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o666)
	require.NoError(t, err)
	require.NoError(t, syscall.Flock(int(file.Fd()), how))
	return file
}

// sandboxLock is the lock of a test on a sandbox.
type sandboxLock struct {
	sync.Mutex
	file *os.File
	how  int
	uses int // by the test and its subtests
}

// sandboxLocks has the locks by SANDBOX/TEST.
var sandboxLocks sync.Map

// lockSandbox waits until no other test uses a sandbox of this name: sandboxes of one name and cluster have one id, and the commands
// of pages delete the objects of an id in all namespaces. It must be called after newNamespace.
func lockSandbox(t *testing.T, name string) {
	t.Helper()
	lockSandboxAs(t, name, syscall.LOCK_EX)
}

// shareSandbox waits until no other test has locked the sandbox: its objects would be deleted with those of that test. It must
// be called after newNamespace, and does nothing in a test that has the lock.
func shareSandbox(t *testing.T, name string) {
	t.Helper()
	lockSandboxAs(t, name, syscall.LOCK_SH)
}

func lockSandboxAs(t *testing.T, name string, how int) {
	t.Helper()
	test, _, _ := strings.Cut(t.Name(), "/")
	value, _ := sandboxLocks.LoadOrStore(name+"/"+test, &sandboxLock{})
	lock := value.(*sandboxLock)
	lock.Lock()
	defer lock.Unlock()
	if lock.uses == 0 {
		lock.file, lock.how = lockFile(t, nodeLock+"."+name, how), how
	}
	require.False(t, how == syscall.LOCK_EX && lock.how != how, "lockSandbox must be called before shareSandbox")
	lock.uses++
	t.Cleanup(func() {
		lock.Lock()
		defer lock.Unlock()
		if lock.uses--; lock.uses == 0 {
			lock.file.Close()
		}
	})
}
