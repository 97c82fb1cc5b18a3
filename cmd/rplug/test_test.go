package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/checkout"
)

// rplug runs the command.
func rplug(args ...string) (code int, stdout, stderr string) {
	var out, notes bytes.Buffer
	code = run(args, strings.NewReader(""), &out, &notes)
	return code, out.String(), notes.String()
}

// The test of examples/hello-db passes.
func TestExampleHelloDB(t *testing.T) {
	t.Parallel()
	needsNamespaces(t)
	code, stdout, stderr := rplug("test", "--engine", "process", filepath.Join(checkout.Root(), "examples", "hello-db"))
	assert.Equal(t, exitClean, code, stderr)
	assert.Contains(t, stdout, "1 test and 1 case: 9 checks passed, 0 failed, 0 skipped\n")
}

// The test of examples/postgres passes with a PostgreSQL server on this machine, in place of the container.
func TestExamplePostgres(t *testing.T) {
	t.Parallel()
	needsNamespaces(t)
	for _, program := range []string{"psql", "pg_config", "setpriv"} {
		if _, err := exec.LookPath(program); err != nil {
			checkout.LeaveOut(t, "the fixture is a PostgreSQL server on this machine: %v", err)
		}
	}
	bin, err := exec.Command("pg_config", "--bindir").Output()
	require.NoError(t, err)
	if _, err := exec.LookPath(filepath.Join(strings.TrimSpace(string(bin)), "initdb")); err != nil {
		checkout.LeaveOut(t, "the fixture is a PostgreSQL server on this machine: %v", err)
	}
	version, err := exec.Command("pg_config", "--version").Output()
	require.NoError(t, err)
	major, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(string(version)), "PostgreSQL "), ".")
	example, folder := filepath.Join(checkout.Root(), "examples", "postgres"), t.TempDir()
	text, err := os.ReadFile(filepath.Join(example, "test.yaml"))
	require.NoError(t, err)
	server, err := filepath.Abs(filepath.Join("testdata", "postgres", "server.sh"))
	require.NoError(t, err)
	local := strings.NewReplacer(
		"image: postgres:15", "command: ["+server+"]",
		"ready: [pg_isready, --host=127.0.0.1, --username=postgres]", "ready: [sh, -c, pg_isready --host=127.0.0.1 --port=$FIXTURE_PORT]",
		`"15[.].*\n"`, `"`+major+`[.].*\n"`,
	).Replace(string(text))
	require.NotContains(t, local, "image:")
	file := filepath.Join(folder, "test.yaml")
	require.NoError(t, os.WriteFile(file, []byte(local), 0o600))
	code, stdout, stderr := rplug("test", "--engine", "process", filepath.Join(example, "plugin.yaml"), file)
	assert.Equal(t, exitClean, code, "%s%s", stdout, stderr)
	assert.Contains(t, stdout, "1 test and 2 cases: 12 checks passed, 0 failed, 6 skipped\n")
	assert.Contains(t, stdout, "ok    postgres/products delete-check\n")
}

// However a test is ended, no process of a step or of a fixture remains, and no file.
func TestTestThatIsEndedLeavesNothing(t *testing.T) {
	t.Parallel()
	needsNamespaces(t)
	for name, signal := range map[string]syscall.Signal{"kill": syscall.SIGKILL, "interrupt": syscall.SIGINT} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mark := fmt.Sprintf("rplug-test-%s-%d", name, os.Getpid())
			folder, temporary := t.TempDir(), t.TempDir()
			text := strings.ReplaceAll(hanging, "MARK", mark)
			require.NoError(t, os.WriteFile(filepath.Join(folder, "plugin.yaml"), []byte(text), 0o600))
			command := exec.CommandContext(t.Context(), "rplug", "test", "--engine", "process")
			command.Dir, command.Env = folder, append(os.Environ(), "TMPDIR="+temporary)
			require.NoError(t, command.Start())
			require.Eventually(t, func() bool { return marked(t, mark) >= 3 }, 30*time.Second, 5*time.Millisecond)
			require.NoError(t, command.Process.Signal(signal))
			_ = command.Wait() // the state says how
			assert.Eventually(t, func() bool { return marked(t, mark) == 0 }, 20*time.Second, 5*time.Millisecond)
			if signal == syscall.SIGKILL {
				return // nobody is there to remove temporary files
			}
			assert.Equal(t, 128+int(signal), command.ProcessState.ExitCode())
			left, err := os.ReadDir(temporary)
			require.NoError(t, err)
			assert.Empty(t, left)
		})
	}
}

// hanging is a plugin with a step that does not end, and a test with a fixture that starts a process which leaves its group.
const hanging = `apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata: {name: hang@1.0.0}
spec:
  runner: {image: debian}
  create:
  - name: one
    script: |
      #!/bin/bash
      (exec -a MARK sleep 1000)
---
apiVersion: resourceplugins.dev/v1alpha1
kind: PluginTest
metadata: {name: hang}
spec:
  plugin: hang
  fixtures:
  - name: server
    command: [bash, -c, "setsid bash -c 'exec -a MARK sleep 1000' & exec -a MARK sleep 1000"]
  cases: [{name: one}]
`
