package function

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Ctrl-C while --fix rewrites many files leaves each as it was or as it must be, and nothing else in the folder; the exit
// code says that it was Ctrl-C. The signal comes when a certain number of files is done.
func TestInterruptedFix(t *testing.T) {
	t.Parallel()
	amid := 0
	for _, after := range []int{1, 5, 40} {
		for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			fixed, code := interruptFix(t, after, signal)
			assert.GreaterOrEqual(t, fixed, after)
			if fixed == many {
				assert.Contains(t, []int{1, 128 + int(signal)}, code, "the signal came late")
				continue
			}
			amid++
			assert.Equal(t, 128+int(signal), code)
		}
	}
	assert.Positive(t, amid, "no signal came amid")
}

const many = 150

// interruptFix fixes many plugins, and sends a signal when some are fixed. It returns how many were fixed in the end.
func interruptFix(t *testing.T, after int, signal syscall.Signal) (fixed, code int) {
	t.Helper()
	folder := plugins(t, many)
	command := exec.Command("validate-plugin", "--fix", folder)
	require.NoError(t, command.Start())
	await(t, pluginFile(folder, after-1))
	require.NoError(t, command.Process.Signal(signal))
	_ = command.Wait()
	for i := range many {
		if isFixed(t, folder, i) {
			fixed++
		}
	}
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, entries, many, "a temporary file is left: %s", entries)
	return fixed, command.ProcessState.ExitCode()
}

// isFixed reports whether a plugin was fixed; it is whole either way.
func isFixed(t *testing.T, folder string, i int) bool {
	t.Helper()
	got, err := os.ReadFile(pluginFile(folder, i))
	require.NoError(t, err)
	before := strings.ReplaceAll(plugin, "NUMBER", fmt.Sprint(i))
	if string(got) == before {
		return false
	}
	assert.Equal(t, strings.Replace(before, "to:", "as:", 1), string(got), "plugin %d", i)
	return true
}

// await waits until a plugin is fixed.
func await(t *testing.T, file string) {
	t.Helper()
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(file)
		return err == nil && bytes.Contains(text, []byte("as:"))
	}, time.Minute, 100*time.Microsecond)
}
