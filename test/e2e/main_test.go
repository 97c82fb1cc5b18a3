//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/resource-plugins/krm-functions/test/checkout"
)

// here is what the tests work with: the node's folder, its kubectl, and the functions, built from the present source.
var here struct{ node, kubectl, programs string }

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	folder, err := os.ReadFile("/run/krm-node") // written by test/node/up
	if err != nil {
		return 0, errors.New("no node is up: start one with test/node/up")
	}
	here.node = strings.TrimSpace(string(folder))
	here.kubectl = filepath.Join(checkout.Root(), "bin", "tools", "kubectl")
	if here.programs = os.Getenv("E2E_PROGRAMS"); here.programs == "" { // test/e2e/run has built them
		if here.programs, err = os.MkdirTemp("", "krm-e2e-"); err != nil {
			return 0, err
		}
		defer os.RemoveAll(here.programs)
		if err := checkout.BuildFunctions(here.programs); err != nil {
			return 0, err
		}
	}
	if _, err := kubectl("", "get", "--raw", "/readyz"); err != nil {
		return 0, fmt.Errorf("the node does not answer: %w", err)
	}
	return m.Run(), nil
}
