package checkout

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// Rounds returns the number of repetitions of tests that are random or depend on timing: few times the environment variable
// TEST_ROUNDS, if set.
func Rounds(few int) int {
	if times, err := strconv.Atoi(os.Getenv("TEST_ROUNDS")); err == nil && times > 0 {
		return few * times
	}
	return few
}

// Random returns the random source of a test, for example for the time at which it kills a program. The choices are the
// same in each run; the environment variable TEST_SEED, a number, has others.
func Random(tb testing.TB) *rand.Rand {
	tb.Helper()
	return RandomStream(tb, 0)
}

// RandomStream returns one of several random sources of a test, see Random.
func RandomStream(tb testing.TB, stream uint64) *rand.Rand {
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

// Slow skips a slow test with -short, which make check uses, and prints the reason.
func Slow(tb testing.TB, why string) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("skipped with -short: " + why)
	}
}

// LeaveOut skips a test because this machine lacks a requirement. With the environment variable TEST_SKIPS=none, the test
// fails instead.
func LeaveOut(tb testing.TB, format string, args ...any) {
	tb.Helper()
	reason := "skipped: " + fmt.Sprintf(format, args...)
	if os.Getenv("TEST_SKIPS") == "none" {
		tb.Fatal(reason)
	}
	tb.Skip(reason)
}

// Terminal returns an error if no pseudo-terminal can be opened, as in a chroot without /dev/pts.
func Terminal() error {
	file, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return file.Close()
}

// Program returns the path of a program of a Debian package, or skips the test.
func Program(tb testing.TB, name, debian string) string {
	tb.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		LeaveOut(tb, "%s is not on the PATH: apt-get install %s", name, debian)
	}
	return path
}

// Tool returns the path of a program in bin/tools, where make builds it, or on the PATH; otherwise it skips the test.
func Tool(tb testing.TB, name string) string {
	tb.Helper()
	built := filepath.Join(Root(), "bin", "tools", name)
	if _, err := os.Stat(built); err == nil {
		return built
	}
	path, err := exec.LookPath(name)
	if err != nil {
		LeaveOut(tb, "%s is neither in bin/tools nor on the PATH: run make bin/tools/%s", name, name)
	}
	return path
}

// Kpt returns the path of kpt, or skips the test, even with TEST_SKIPS=none: neither Debian nor the module proxy has kpt.
func Kpt(tb testing.TB) string {
	tb.Helper()
	path, err := exec.LookPath("kpt")
	if err != nil {
		tb.Skip("skipped: kpt is not on the PATH")
	}
	return path
}

// HasCorpus reports whether real plugins, sandboxes and packages are available: in the folder SHARED, or otherwise beside
// the checkout. They are not part of it, and no test may require them.
func HasCorpus() bool {
	_, err := os.Stat(corpus())
	return err == nil
}

// Corpus returns the folder of these files, or skips the test.
func Corpus(tb testing.TB) string {
	tb.Helper()
	if !HasCorpus() {
		tb.Skipf("skipped: there is no folder %q", corpus())
	}
	return corpus()
}

func corpus() string {
	shared := os.Getenv("SHARED")
	if shared == "" {
		shared = filepath.Join(filepath.Dir(Root()), "shared")
	}
	return filepath.Join(shared, "corpus")
}
