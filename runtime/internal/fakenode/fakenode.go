// Package fakenode does for tests what a node does for a Pod: it brings programs and scripts to where they are executed.
package fakenode

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// Runner is the real runner, built by Main.
var Runner string

// Main runs a package's tests with the runner built.
func Main(m *testing.M) int {
	folder, err := os.MkdirTemp("", "runner")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	Runner = filepath.Join(folder, "runner")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", Runner,
		"github.com/resource-plugins/krm-functions/runtime/cmd/runner")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("%v: %s", err, output))
	}
	return m.Run()
}

// Unforked calls write while no other goroutine starts a process: one would inherit the descriptor, and as long as a
// file is open for writing it cannot be executed ("text file busy").
func Unforked(write func() error) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return write()
}

// Rounds is how often a test repeats what hangs on chance: so few times by default, and TEST_ROUNDS times as often where
// that is set.
func Rounds(few int) int {
	if times, err := strconv.Atoi(os.Getenv("TEST_ROUNDS")); err == nil && times > 0 {
		return few * times
	}
	return few
}
