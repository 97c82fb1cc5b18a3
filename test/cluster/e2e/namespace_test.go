//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// testNamespace is a namespace of a test, with an event log.
type testNamespace struct {
	t    *testing.T
	name string
	// engine runs the steps; empty means Jobs.
	engine string
	eventLog
}

// newNamespace creates a namespace that is deleted at the end of the test. Several test runs may use the node, so the name
// is unique.
func newNamespace(t *testing.T, labels ...string) *testNamespace {
	t.Helper()
	name := strings.ToLower(strings.NewReplacer("/", "-", "_", "-").Replace(t.Name()))
	return newNamedNamespace(t, "e2e-"+strings.TrimPrefix(name, "test")+"-"+strconv.FormatInt(int64(os.Getpid()), 36), labels...)
}

func newNamedNamespace(t *testing.T, name string, labels ...string) *testNamespace {
	t.Helper()
	lockNodeShared(t)
	s := &testNamespace{t: t, name: name, eventLog: eventLog{filepath.Join(suite.node, "shared", name)}}
	require.NoError(t, os.MkdirAll(s.folder, 0o777))
	require.NoError(t, os.Chmod(s.folder, 0o777))
	must(t, "", "create", "namespace", name)
	t.Cleanup(s.cleanup)
	if len(labels) > 0 {
		must(t, "", append([]string{"label", "namespace", name}, labels...)...)
	}
	eventually(t, func() (string, error) { // Pods are rejected without it
		_, err := kubectl("", "get", "serviceaccount", "default", "--namespace", name)
		return "", err
	})
	return s
}

// in returns the namespace for a subtest, so that a wait that fails or skips ends the subtest and not its parent, which testing
// reports as a failure of both.
func (s *testNamespace) in(t *testing.T) *testNamespace {
	t.Helper()
	sub := *s
	sub.t = t
	return &sub
}

// cleanup prints the state if the test failed, and deletes the namespace unless E2E_KEEP is set.
func (s *testNamespace) cleanup() {
	if s.t.Failed() {
		s.printState()
	}
	if os.Getenv("E2E_KEEP") == "" {
		_, _ = kubectl("", "delete", "namespace", s.name, "--wait=false")
		_ = os.RemoveAll(s.folder)
	}
}

// printState logs objects, events and logs.
func (s *testNamespace) printState() {
	for _, arguments := range [][]string{
		{"get", workloads[s.engine] + ",pods,secrets", "-o", "wide"},
		{"get", "events", "--sort-by=.lastTimestamp"},
		{"describe", "pods"},
		{"logs", "--selector=app.kubernetes.io/managed-by=krm-functions", "--all-containers", "--prefix", "--tail=20", "--max-log-requests=500",
			"--ignore-errors"},
	} {
		stdout, stderr, _ := kubectlWarns("", append(arguments, "--namespace", s.name)...)
		s.t.Logf("$ kubectl %s\n%s%s", strings.Join(arguments, " "), tail(stdout, 20_000), tail(stderr, 2_000))
	}
	events, _ := os.ReadFile(filepath.Join(s.folder, "events"))
	s.t.Logf("events:\n%s", events)
}

func tail(text string, most int) string {
	if len(text) > most {
		return fmt.Sprintf("... (%d bytes)\n", len(text)-most) + text[len(text)-most:]
	}
	return text
}

// apply runs `kubectl apply -f -`.
func (s *testNamespace) apply(manifest string, arguments ...string) {
	s.t.Helper()
	must(s.t, manifest, append([]string{"apply", "-f", "-"}, arguments...)...)
}
