//go:build linux

package process_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/commands/local/localrun/process"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// unreliableBubblewrap makes bubblewrap fail a number of times, starting with its second call; New makes the first.
func unreliableBubblewrap(t *testing.T, failures int) *process.Engine {
	t.Helper()
	program, err := exec.LookPath("bwrap")
	if err != nil {
		checkout.LeaveOut(t, "bubblewrap is not installed")
	}
	folder := t.TempDir()
	text := fmt.Sprintf(`#!/bin/sh
echo call >> %[1]s/calls
calls=$(grep -c . %[1]s/calls)
[ "$calls" -eq 1 ] || [ "$calls" -gt %[2]d ] || { echo "bwrap: Can't bind mount: No such file or directory" >&2; exit 1; }
exec %[3]s "$@"
`, folder, 1+failures, program)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "bwrap"), []byte(text), 0o755))
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	engine, err := process.New(process.Options{})
	require.NoError(t, err)
	if isolated, reason := engine.IsIsolated(); !isolated {
		checkout.LeaveOut(t, "bubblewrap does not isolate processes: %v", reason)
	}
	return engine
}

func TestBubblewrap_startsAgain(t *testing.T) {
	var log strings.Builder
	result, err := unreliableBubblewrap(t, 2).Run(t.Context(), script("#!/bin/sh\necho started; exit 3\n", &log))
	require.NoError(t, err)
	assert.Equal(t, 3, result.ExitCode)
	assert.Equal(t, 1, strings.Count(log.String(), "started\n"), "a step runs once")
}

func TestBubblewrap_neverStarts(t *testing.T) {
	var log strings.Builder
	_, err := unreliableBubblewrap(t, 100).Run(t.Context(), script("#!/bin/sh\necho started\n", &log))
	require.EqualError(t, err, "bwrap exited with 1 before it started the step")
	assert.Contains(t, log.String(), "bwrap: Can't bind mount")
}
