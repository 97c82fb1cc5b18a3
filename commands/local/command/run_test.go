package command

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
	"github.com/resource-plugins/krm-functions/commands/local/localrun/process"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// needsNamespaces skips the test if the process engine cannot isolate scripts on this machine.
func needsNamespaces(t *testing.T) {
	t.Helper()
	engine, err := process.New(process.Options{})
	require.NoError(t, err)
	if isolated, reason := engine.IsIsolated(); !isolated {
		checkout.LeaveOut(t, "bubblewrap does not isolate processes: %v", reason)
	}
}

// lingering is a plugin whose scripts start processes that do not end by themselves. All have MARK as an argument.
const lingering = `name: linger
spec:
  runner: {image: debian}
  create:
  - name: one
    script: |
      #!/bin/bash
      for i in 1 2 3; do (trap '' TERM INT; exec -a MARK sleep 1000) & done
      setsid bash -c 'exec -a MARK sleep 1000' &
      head -c 300000 /dev/zero > /outputs/x
      WAIT
    outputs: [{name: x, valueFromPath: /outputs/x}]
  - name: two
    inputs: [{name: x, valueFromStep: {name: one, output: x}, as: {path: /in/x}}]
    script: |
      #!/bin/bash
      (exec -a MARK sleep 1000) &
      WAIT
  - name: three
    script: |
      #!/bin/bash
      exec -a MARK sleep SECONDS
`

// marked returns the number of processes with the mark.
func marked(t *testing.T, mark string) int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	count := 0
	for _, file := range files {
		if line, err := os.ReadFile(file); err == nil && strings.HasPrefix(string(line), mark) {
			count++
		}
	}
	return count
}

// Whichever signal ends a run, no process remains and no file is incomplete: the next run continues.
func TestRunThatIsEndedLeavesNothing(t *testing.T) {
	t.Parallel()
	needsNamespaces(t)
	for name, signal := range map[string]syscall.Signal{
		"kill": syscall.SIGKILL, "interrupt": syscall.SIGINT, "terminate": syscall.SIGTERM,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			random := checkout.Random(t)
			for round := range checkout.Rounds(4) {
				mark := fmt.Sprintf("rplug-%s-%d-%d", name, os.Getpid(), round)
				folder := t.TempDir()
				text := strings.NewReplacer("MARK", mark, "WAIT", "wait %1", "SECONDS", "1000").Replace(lingering)
				require.NoError(t, os.WriteFile(filepath.Join(folder, "plugin.yaml"), []byte(text), 0o600))
				command := start(t, folder, nil, "run", "linger", "--engine", "process")
				if round == 0 {
					require.Eventually(t, func() bool { return marked(t, mark) >= 5 }, 30*time.Second, 5*time.Millisecond)
				} else {
					time.Sleep(time.Duration(random.IntN(500)) * time.Millisecond)
				}
				endAll(t, command, signal)
				if signal != syscall.SIGKILL && round == 0 {
					assert.Equal(t, 128+int(signal), command.ProcessState.ExitCode())
				}
				assert.Eventually(t, func() bool { return marked(t, mark) == 0 }, 10*time.Second, 5*time.Millisecond)
				checkState(t, folder)

				text = strings.NewReplacer("MARK", mark, "WAIT", "", "SECONDS", "0").Replace(lingering)
				text = strings.ReplaceAll(text, "1000)", "0)")
				text = strings.ReplaceAll(text, "sleep 1000", "sleep 0")
				require.NoError(t, os.WriteFile(filepath.Join(folder, "plugin.yaml"), []byte(text), 0o600))
				again := exec.CommandContext(t.Context(), "rplug", "run", "linger", "--engine", "process")
				again.Dir = folder
				out, err := again.CombinedOutput()
				require.NoError(t, err, string(out))
			}
		})
	}
}

// checkState checks that every record of a state is readable.
func checkState(t *testing.T, folder string) {
	t.Helper()
	state := filepath.Join(folder, localrun.StateFolder)
	err := filepath.WalkDir(state, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(entry.Name(), ".json") {
			return err
		}
		text, err := os.ReadFile(path)
		assert.True(t, strings.HasSuffix(string(text), "}\n"), path)
		return err
	})
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
}

// Two runs in one folder wait for each other.
func TestRunsTakeTurns(t *testing.T) {
	t.Parallel()
	needsNamespaces(t)
	folder := t.TempDir()
	text := "name: turn\nspec:\n  runner: {image: debian}\n  create:\n  - name: one\n    script: |\n      #!/bin/sh\n      sleep 0.5\n" +
		"      date +%N > /outputs/x\n    outputs: [{name: x, valueFromPath: /outputs/x}]\n"
	require.NoError(t, os.WriteFile(filepath.Join(folder, "plugin.yaml"), []byte(text), 0o600))
	outs := make(chan string, 2)
	for range 2 {
		go func() {
			command := exec.CommandContext(context.Background(), "rplug", "run", "turn", "--engine", "process", "--show-outputs")
			command.Dir = folder
			out, _ := command.Output()
			outs <- string(out)
		}()
	}
	first, second := <-outs, <-outs
	assert.NotEmpty(t, first)
	assert.Equal(t, first, second, "the second run must find what the first one has published")
}
