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
