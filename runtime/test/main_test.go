// Package test runs the helpers and the runner, against an API server that fails as real ones do.
package test

import (
	"flag"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// runnerPath, managerPath and unpackerPath are the paths of the programs that TestMain built.
var runnerPath, managerPath, unpackerPath string

// TestMain builds the programs and runs the tests. Tests mostly wait, so more of them run in parallel than there are cores.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	folder, err := os.MkdirTemp("", "runtime")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	runnerPath, managerPath = filepath.Join(folder, "runner"), filepath.Join(folder, "manager")
	unpackerPath = filepath.Join(folder, "unpacker")
	if err := checkout.BuildRuntime(folder); err != nil {
		panic(err)
	}
	return m.Run()
}

// withoutForks calls write while no other goroutine starts a process. A new process would inherit the open file, and a file
// that is open for writing cannot be executed ("text file busy").
func withoutForks(write func() error) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return write()
}
