//go:build unix

package command

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// start starts rplug in its own process group, as a shell does, so that endAll has the effect of a terminal. Signals have
// their default effect in it, even if this process ignores them, as in the background of a shell.
func start(t *testing.T, folder string, environment []string, args ...string) *exec.Cmd {
	t.Helper()
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM) // caught signals have their default effect in child processes
	command := exec.CommandContext(t.Context(), "rplug", args...)
	command.Dir, command.Env = folder, append(os.Environ(), environment...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err := command.Start()
	signal.Stop(caught)
	require.NoError(t, err)
	return command
}

// endAll sends a signal to the process group, as the Ctrl-C of a terminal does, and waits for rplug.
func endAll(t *testing.T, command *exec.Cmd, by syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(-command.Process.Pid, by); err != nil {
		require.ErrorIs(t, err, syscall.ESRCH)
	}
	_ = command.Wait() // ProcessState has the result
}
