package docs

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// TestDemo runs `make demo` in a terminal, where it prints a summary and the path of the file with the objects, and in a
// pipe, which gets the objects.
func TestDemo(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, checkout.Copy(folder))
	link(t, build(t), filepath.Join(folder, "bin"))

	piped := exec.Command("make", "--no-print-directory", "demo")
	piped.Dir = folder
	objects, err := piped.Output()
	require.NoError(t, err)
	assert.Regexp(t, `(?m)^apiVersion: `, string(objects))
	assert.NotContains(t, string(objects), "less ")
	assert.NoFileExists(t, filepath.Join(folder, "bin", "demo.yaml"))

	if err := checkout.Terminal(); err != nil {
		checkout.LeaveOut(t, "make demo has passed in a pipe, and is not run in a terminal, which the machine does not have: %v", err)
	}
	seen := exec.Command("make", "--no-print-directory", "demo")
	seen.Dir = folder
	terminal, err := pty.Start(seen)
	require.NoError(t, err)
	defer terminal.Close()
	screen, err := io.ReadAll(terminal)
	if !errors.Is(err, syscall.EIO) { // Linux reports the end of a terminal's output in this way
		require.NoError(t, err)
	}
	require.NoError(t, seen.Wait(), "%s", screen)
	assert.Regexp(t, `bin/demo\.yaml has these objects:\r\n(.*\r\n)* +\d+ +Job\r\n`, string(screen))
	assert.Contains(t, string(screen), "less bin/demo.yaml")
	assert.Less(t, strings.Count(string(screen), "\n"), 24, "must fit a terminal:\n%s", screen)
	written, err := os.ReadFile(filepath.Join(folder, "bin", "demo.yaml"))
	require.NoError(t, err)
	assert.Equal(t, string(objects), string(written))
}
