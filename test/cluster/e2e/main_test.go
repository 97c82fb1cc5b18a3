//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/resource-plugins/krm-functions/commands/local/localrun/process"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// suite has the folder of the node, the path of kubectl, and the folder of the functions, built from this checkout.
var suite struct{ node, kubectl, programs string }

func TestMain(m *testing.M) {
	if code, isStep := process.Main(os.Args[1:]); isStep {
		os.Exit(code)
	}
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	folder, err := os.ReadFile("/run/krm-node") // written by test/cluster/node/up
	if err != nil {
		return 0, errors.New("no node is running: start one with test/cluster/node/up")
	}
	suite.node = strings.TrimSpace(string(folder))
	suite.kubectl = filepath.Join(checkout.Root(), "bin", "tools", "kubectl")
	if suite.programs = os.Getenv("E2E_PROGRAMS"); suite.programs == "" { // test/cluster/e2e/run has built them
		if suite.programs, err = os.MkdirTemp("", "krm-e2e-"); err != nil {
			return 0, err
		}
		defer os.RemoveAll(suite.programs)
		if err := errors.Join(checkout.BuildFunctions(suite.programs), checkout.BuildCommands(suite.programs)); err != nil {
			return 0, err
		}
	}
	if _, err := kubectl("", "get", "--raw", "/readyz"); err != nil {
		return 0, fmt.Errorf("the API server of the node does not respond: %w", err)
	}
	return m.Run(), nil
}
