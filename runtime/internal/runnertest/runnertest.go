// Package runnertest builds the runner for tests that execute it.
package runnertest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// Path is the path of the runner that Main built.
var Path string

// Main builds the runner and runs a package's tests.
func Main(m *testing.M) int {
	folder, err := os.MkdirTemp("", "runner")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	Path = filepath.Join(folder, "runner")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", Path,
		"github.com/resource-plugins/krm-functions/runtime/cmd/runner")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("%v: %s", err, output))
	}
	return m.Run()
}

// WithoutForks calls write while no other goroutine starts a process. That would inherit the open file, and a file that is
// open for writing cannot be executed ("text file busy").
func WithoutForks(write func() error) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return write()
}

// Rounds returns how often a test repeats what depends on timing: few times the environment variable TEST_ROUNDS, if set.
func Rounds(few int) int {
	if times, err := strconv.Atoi(os.Getenv("TEST_ROUNDS")); err == nil && times > 0 {
		return few * times
	}
	return few
}
