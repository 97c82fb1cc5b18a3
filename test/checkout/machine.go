package checkout

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// LeaveOut skips a test for what this machine lacks, and says why. Where TEST_SKIPS is none, as in .ci/run, it fails the test:
// what can be installed must not be left out there.
func LeaveOut(tb testing.TB, format string, args ...any) {
	tb.Helper()
	reason := "left out: " + fmt.Sprintf(format, args...)
	if os.Getenv("TEST_SKIPS") == "none" {
		tb.Fatal(reason)
	}
	tb.Skip(reason)
}

// Program returns the path of a program that a package of Debian has, or leaves the test out.
func Program(tb testing.TB, name, debian string) string {
	tb.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		LeaveOut(tb, "%s is not on the PATH: apt-get install %s", name, debian)
	}
	return path
}

// Kubectl returns the path of the kubectl that this checkout has built, or else of one on the PATH, or leaves the test out.
func Kubectl(tb testing.TB) string {
	tb.Helper()
	built := filepath.Join(Root(), "bin", "tools", "kubectl")
	if _, err := os.Stat(built); err == nil {
		return built
	}
	path, err := exec.LookPath("kubectl")
	if err != nil {
		LeaveOut(tb, "kubectl is neither in bin/tools nor on the PATH: make bin/tools/kubectl")
	}
	return path
}

// Kpt returns the path of kpt, or skips the test. No machine can install it: neither Debian nor the module proxy has it.
func Kpt(tb testing.TB) string {
	tb.Helper()
	path, err := exec.LookPath("kpt")
	if err != nil {
		tb.Skip("left out: kpt is not on the PATH, and neither the module proxy nor Debian has it")
	}
	return path
}

// HasCorpus tells whether the real plugins and sandboxes that the project was built with lie beside the checkout. They are
// no part of it, and nothing may need them.
func HasCorpus() bool {
	_, err := os.Stat(corpus())
	return err == nil
}

// Corpus returns the folder of these real files, or skips the test.
func Corpus(tb testing.TB) string {
	tb.Helper()
	if !HasCorpus() {
		tb.Skipf("left out: no real files are at %q, and they are not ours to copy", corpus())
	}
	return corpus()
}

func corpus() string { return filepath.Join(filepath.Dir(Root()), "shared", "corpus") }
