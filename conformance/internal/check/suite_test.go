package check

import (
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/conformance/internal/program"
	"github.com/resource-plugins/krm-functions/conformance/internal/suite"
)

// binary is a copy of the test binary that all users may execute. As "binary function NAME" it is the function with a fault,
// as "binary generated SEED" a generated one.
var binary string

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "function" {
		os.Exit((&function{fault: faults[os.Args[2]]}).main())
	}
	if len(os.Args) == 3 && os.Args[1] == "generated" {
		seed, err := strconv.ParseUint(os.Args[2], 10, 64)
		if err != nil {
			panic(err)
		}
		os.Exit((&function{fault: generated(seed)}).main())
	}
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	folder, err := os.MkdirTemp("", "krm-conformance-test-")
	if err == nil {
		defer func() { _ = os.RemoveAll(folder) }()
		binary = filepath.Join(folder, "function")
		err = publish(folder)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// publish copies the test binary and the scripts to where an unprivileged user can read them.
func publish(folder string) error {
	if err := os.Chmod(folder, 0o755); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for from, to := range map[string]string{self: "function", "testdata/faulty.sh": "faulty.sh", "testdata/faulty.py": "faulty.py"} {
		if err := copyFile(from, filepath.Join(folder, to)); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	target, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(target, source); err != nil {
		return err
	}
	return target.Close()
}

const invalid = `apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: conformance.example.com/v1
  kind: Probe
  metadata:
    name: wrong
  spec:
    invalid: true
`

const config = `{apiVersion: conformance.example.com/v1, kind: Test, metadata: {name: test}, value: some}`

// outcomesOf runs the suite. The cases of the group scale, which take most of the time, are left out for functions with
// another fault.
func outcomesOf(t *testing.T, profile suite.Profile, args ...string) []*Outcome {
	t.Helper()
	cases, err := suite.Load()
	require.NoError(t, err)
	if name := args[len(args)-1]; name != "none" && !strings.HasPrefix(name, "scale/") {
		cases = slices.DeleteFunc(cases, func(c *suite.Case) bool { return strings.HasPrefix(c.ID, "scale/") })
	}
	function, err := program.New(program.Program{Args: args, Timeout: time.Minute})
	require.NoError(t, err)
	tested := &Suite{Cases: cases, Program: function, Profile: profile,
		Data: suite.Data{Config: []byte(config), Invalid: []byte(invalid)}}
	outcomes, err := tested.Run()
	require.NoError(t, err)
	return outcomes
}

// failed returns the IDs of the failed cases.
func failed(outcomes []*Outcome) []string {
	ids := []string{}
	for _, outcome := range outcomes {
		if outcome.Status == Failed {
			ids = append(ids, outcome.Case.ID)
		}
	}
	return ids
}

func problems(outcomes []*Outcome) (lines []string) {
	for _, outcome := range outcomes {
		for _, problem := range outcome.Problems {
			lines = append(lines, outcome.Case.ID+": "+problem)
		}
	}
	return lines
}

func TestSuite_passesACorrectFunction(t *testing.T) {
	t.Parallel()
	for _, profile := range suite.Profiles {
		outcomes := outcomesOf(t, profile, binary, "function", "none")
		assert.Empty(t, problems(outcomes), profile)
		for _, outcome := range outcomes {
			assert.NotEqual(t, Blocked, outcome.Status, outcome.Case.ID)
		}
	}
}

func TestSuite_findsFaultsInGo(t *testing.T) {
	t.Parallel()
	for _, id := range slices.Sorted(maps.Keys(faults)) {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			outcomes := outcomesOf(t, suite.Transformer, binary, "function", id)
			assert.Equal(t, []string{id}, failed(outcomes), problems(outcomes))
		})
	}
}

func TestSuite_findsFaultsInShell(t *testing.T) {
	t.Parallel()
	script := filepath.Join(filepath.Dir(binary), "faulty.sh")
	for fault, id := range map[string]string{
		"network": "hermetic/network", "read-only": "hermetic/read-only", "nobody": "hermetic/nobody",
		"environment": "hermetic/environment", "files": "hermetic/files",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			outcomes := outcomesOf(t, suite.Transformer, script, fault, binary, "function", "none")
			for _, outcome := range outcomes {
				if outcome.Case.ID == id && outcome.Status == Skipped {
					t.Skipf("%s: %s", id, outcome.Reason)
				}
				if outcome.Case.ID == "run/plain" && outcome.Status == Failed {
					t.Skipf("the fault %s is one on this machine without the suite: %s", fault, outcome.Problems)
				}
			}
			assert.Equal(t, []string{id}, failed(outcomes), problems(outcomes))
		})
	}
}

func TestSuite_findsFaultsInPython(t *testing.T) {
	t.Parallel()
	python := "/usr/bin/python3" // one that an unprivileged user may execute
	if _, err := exec.LookPath(python); err != nil {
		t.Skipf("needs %s: %s", python, err)
	}
	script := filepath.Join(filepath.Dir(binary), "faulty.py")
	for fault, id := range map[string]string{
		"traceback": "exit/no-crash", "progress": "output/one-document", "set": "behavior/deterministic",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			outcomes := outcomesOf(t, suite.Transformer, python, script, fault, binary, "function", "none")
			assert.Equal(t, []string{id}, failed(outcomes), problems(outcomes))
		})
	}
}

// A validator may add results, and must not change items.
func TestSuite_findsAValidatorThatChangesItems(t *testing.T) {
	t.Parallel()
	outcomes := outcomesOf(t, suite.Validator, binary, "function", "behavior/idempotent")
	assert.Contains(t, failed(outcomes), "behavior/validator")
}
