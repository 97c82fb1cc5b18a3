// Package test runs the helpers and the runner, against an API server that fails as real ones do.
package test

import (
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
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

// newRandom returns the random source of a test, one for each stream. The choices are the same in each run; the environment
// variable TEST_SEED, a number, has others.
func newRandom(tb testing.TB, stream uint64) *rand.Rand {
	tb.Helper()
	seed := uint64(1)
	if text := os.Getenv("TEST_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			tb.Fatalf("TEST_SEED: %v", err)
		}
	}
	tb.Logf("TEST_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, stream))
}

// rounds returns the number of repetitions of timing-dependent tests: few times the environment variable TEST_ROUNDS, if
// set.
func rounds(few int) int {
	if times, err := strconv.Atoi(os.Getenv("TEST_ROUNDS")); err == nil && times > 0 {
		return few * times
	}
	return few
}
