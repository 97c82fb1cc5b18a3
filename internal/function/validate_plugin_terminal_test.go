package function

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// plugins writes so many plugin documents into a new folder.
func plugins(t *testing.T, count int) string {
	t.Helper()
	folder := t.TempDir()
	for i := range count {
		require.NoError(t, os.WriteFile(pluginFile(folder, i), []byte(strings.ReplaceAll(plugin, "NUMBER", fmt.Sprint(i))), 0o600))
	}
	return folder
}

func pluginFile(folder string, i int) string {
	return filepath.Join(folder, fmt.Sprintf("%04d.yaml", i))
}

const plugin = `name: db-NUMBER@1.0.0
spec:
  description: a database
  runner: {image: alpine}
  create:
  - name: hello
    inputs:
    - name: size
      valueFromSandbox: true
      to: {env: SIZE}
    script: |
      #!/bin/sh
      echo hello
`

// terminal runs the command with stderr on a terminal, and stdout too if there is no file for it. It returns all that was
// written to the terminal.
func terminal(t *testing.T, stdout *os.File, env []string, args ...string) string {
	t.Helper()
	screen, tty, err := pty.Open()
	if err != nil {
		checkout.LeaveOut(t, "no pseudo-terminal can be opened: %s", err)
	}
	defer func() { _ = screen.Close() }()
	command := exec.Command("validate-plugin", args...)
	command.Env = append(os.Environ(), append([]string{"TERM=xterm", "CI=", "NO_COLOR="}, env...)...)
	command.Stdout, command.Stderr = tty, tty
	if stdout != nil {
		command.Stdout = stdout
	}
	require.NoError(t, command.Start())
	require.NoError(t, tty.Close())
	written, _ := io.ReadAll(screen) // ends with EIO when the command has ended
	_ = command.Wait()
	return string(written)
}

// left returns the part of a text that remains on a screen.
func left(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\r\n") {
		at := strings.LastIndex(line, "\r\x1b[K")
		if at >= 0 {
			line = line[at+len("\r\x1b[K"):]
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// A person who watches many files being checked sees how far it is, and nothing of it in the end.
func TestProgressOnATerminal(t *testing.T) {
	t.Parallel()
	const count = 250
	folder := plugins(t, count)
	sink, err := os.Create(filepath.Join(t.TempDir(), "findings"))
	require.NoError(t, err)
	defer func() { _ = sink.Close() }()

	shown := terminal(t, sink, nil, folder)
	assert.Contains(t, shown, "\r\x1b[Kvalidate-plugin: read 250 of 250 documents, 100%")
	assert.Contains(t, shown, "\r\x1b[Kvalidate-plugin: working on 250 documents\r\x1b[K")
	assert.LessOrEqual(t, strings.Count(shown, "read "), 101, "a line a per cent at most")
	assert.Equal(t, "validate-plugin: checked 250 plugins and 0 sandboxes: 250 errors\n", left(shown))

	for _, env := range []string{"TERM=dumb", "CI=true"} {
		shown := terminal(t, sink, []string{env}, folder)
		assert.NotContains(t, shown, "read ", env)
		assert.NotContains(t, shown, "\x1b", env)
	}
	assert.NotContains(t, terminal(t, sink, nil, plugins(t, 20)), "read ", "few files are read before anybody asks")

	quiet, err := exec.Command("validate-plugin", folder).CombinedOutput()
	var failed *exec.ExitError
	require.ErrorAs(t, err, &failed)
	assert.NotContains(t, string(quiet), "\x1b", "no terminal, no line")
}

// The output to the same terminal starts on a clean line.
func TestProgressKeepsOutOfTheOutput(t *testing.T) {
	t.Parallel()
	folder := plugins(t, 250)
	for flag, first := range map[string]string{"json": "{", "sarif": "{", "junit": "<?xml"} {
		shown := terminal(t, nil, nil, "--output", flag, folder)
		assert.Contains(t, shown, "read 250 of 250")
		assert.True(t, strings.HasPrefix(left(shown), first), "%s: %.80q", flag, left(shown))
	}
}

// Colors are for terminals whose user has not said otherwise.
func TestColorsOnATerminal(t *testing.T) {
	t.Parallel()
	folder := plugins(t, 1)
	assert.Contains(t, terminal(t, nil, nil, folder), "\x1b[31m[error]\x1b[0m")
	for _, env := range []string{"NO_COLOR=1", "TERM=dumb"} {
		assert.NotContains(t, terminal(t, nil, []string{env}, folder), "\x1b[31m", env)
	}
}
