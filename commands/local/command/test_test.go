package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/commands/local"
	"github.com/resource-plugins/krm-functions/commands/local/localrun/process"
	"github.com/resource-plugins/krm-functions/internal/build"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// call runs the command.
func call(args ...string) (code int, stdout, stderr string) {
	var out, notes bytes.Buffer
	code = rplug.Run(context.Background(), args, strings.NewReader(""), &out, &notes, Extension())
	return code, out.String(), notes.String()
}

// The test of examples/hello-db passes.
func TestExampleHelloDB(t *testing.T) {
	t.Parallel()
	needsNamespaces(t)
	code, stdout, stderr := call("test", "--engine", "process", filepath.Join(checkout.Root(), "examples", "hello-db"))
	assert.Equal(t, rplug.ExitClean, code, stderr)
	assert.Contains(t, stdout, "1 test and 1 case: 11 checks passed, 0 failed, 1 skipped\n")
}

// On a terminal each case has a row with the current check; otherwise there is no progress.
func TestTestProgress(t *testing.T) {
	t.Parallel()
	needsNamespaces(t)
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "plugin.yaml"), []byte(failing), 0o600))
	var rows, lines strings.Builder
	for _, progress := range []*local.Progress{
		{Out: &rows, Size: func() (columns, rows int) { return 80, 24 }, Now: func() time.Time { return time.Unix(0, 0) }},
		{Out: &lines, Now: time.Now},
	} {
		command := &cobra.Command{}
		command.SetContext(t.Context())
		command.SetErr(io.Discard)
		flags := testFlags{engine: process.Name, parallel: 1, output: report.Text, chain: build.New()}
		result, _, err := flags.runTests(command, []string{folder}, progress)
		require.NoError(t, err)
		progress.End()
		assert.Equal(t, 1, result.Failed)
	}
	assert.Equal(t, "\r\x1b[Kwaiting  fail/one\n"+
		"\x1b[1A\r\x1b[Kwaiting  fail/one\n\r\x1b[Kwaiting  fail/two\n"+
		"\x1b[2A\r\x1b[Krunning  fail/one 0s: create\n\r\x1b[Kwaiting  fail/two\n"+
		"\x1b[2A\r\x1b[Krunning  fail/one 0s: delete\n\r\x1b[Kwaiting  fail/two\n"+
		"\x1b[2A\r\x1b[Krunning  fail/one 0s: processes-end\n\r\x1b[Kwaiting  fail/two\n"+
		"\x1b[2A\r\x1b[Kdone     fail/one\n\r\x1b[Kwaiting  fail/two\n"+
		"\x1b[2A\r\x1b[Kdone     fail/one\n\r\x1b[Krunning  fail/two 0s: create\n"+
		"\x1b[2A\r\x1b[Kdone     fail/one\n\r\x1b[Krunning  fail/two 0s: delete\n"+
		"\x1b[2A\r\x1b[Kdone     fail/one\n\r\x1b[Kfailed   fail/two: create\n"+
		"failed   fail/two: create\n", rows.String())
	assert.Empty(t, lines.String())
}

// failing is a plugin with a failing step, and a test that expects the failure in only one of its cases.
const failing = `apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata: {name: fail@1.0.0}
spec:
  runner: {image: debian}
  create:
  - name: one
    script: |
      #!/bin/sh
      exit 3
---
apiVersion: resourceplugins.dev/v1alpha1
kind: PluginTest
metadata: {name: fail}
spec:
  plugin: fail
  cases:
  - name: one
    create: {fails: {step: one}}
  - name: two
`

// Whichever signal ends a test, no process of a step or fixture remains, and no file.
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
			command := start(t, folder, []string{"TMPDIR=" + temporary}, "test", "--engine", "process")
			require.Eventually(t, func() bool { return marked(t, mark) >= 3 }, 30*time.Second, 5*time.Millisecond)
			endAll(t, command, signal)
			assert.Eventually(t, func() bool { return marked(t, mark) == 0 }, 20*time.Second, 5*time.Millisecond)
			if signal == syscall.SIGKILL { // then the next rplug removes temporary files
				require.NoError(t, os.WriteFile(filepath.Join(folder, "plugin.yaml"), []byte(failing), 0o600))
				_ = start(t, folder, []string{"TMPDIR=" + temporary}, "test", "--engine", "process").Wait() // the test fails
			} else {
				assert.Equal(t, 128+int(signal), command.ProcessState.ExitCode())
			}
			left, err := os.ReadDir(temporary)
			require.NoError(t, err)
			assert.Empty(t, left)
		})
	}
}

// hanging is a plugin with a step that does not end, and a test with a fixture whose process leaves its process group.
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
