package test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// Another process of the same user cannot read the token and the environment of a helper in /proc.
func TestHelpersAreProtected(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{filepath.Dir(managerPath), managerPath} {
		require.NoError(t, os.Chmod(folder, 0o755))
	}
	other := asHelper("sleep", "60")
	require.NoError(t, other.Start())
	t.Cleanup(func() { _ = other.Process.Kill(); _ = other.Wait() })
	require.Eventually(t, func() bool { return readable(t, other.Process.Pid) == "environ root/ " }, enough, time.Millisecond,
		"processes of the same user are readable otherwise")

	helper := asHelper(managerPath)
	helper.Stderr = fullPipe(t)
	require.NoError(t, helper.Start())
	t.Cleanup(func() { _ = helper.Process.Kill(); _ = helper.Wait() })
	assert.Eventually(t, func() bool { return readable(t, helper.Process.Pid) == "" }, enough, 10*time.Millisecond)
	require.True(t, alive(helper.Process.Pid), "it waits to write its message")
}

// readable returns the files of a process that another process of the same user can read.
func readable(t *testing.T, process int) (found string) {
	t.Helper()
	for _, read := range [][]string{{"cat", "environ"}, {"ls", "root/"}} {
		err := asHelper(read[0], fmt.Sprintf("/proc/%d/%s", process, read[1])).Run()
		var exit *exec.ExitError
		if err == nil {
			found += read[1] + " "
		} else {
			require.ErrorAs(t, err, &exit)
		}
	}
	return found
}

// asHelper returns a command that runs as the user of the helpers, if the tests run as root.
func asHelper(name string, arguments ...string) *exec.Cmd {
	command := exec.Command(name, arguments...)
	if os.Getuid() == 0 {
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: contract.HelperUserID, Gid: contract.HelperUserID}}
	}
	return command
}

// fullPipe returns a pipe that blocks all writers.
func fullPipe(t *testing.T) *os.File {
	t.Helper()
	read, write, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { _ = read.Close(); _ = write.Close() })
	require.NoError(t, write.SetWriteDeadline(time.Now().Add(100*time.Millisecond)))
	_, err = write.Write(make([]byte, 1<<20))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	return write
}
