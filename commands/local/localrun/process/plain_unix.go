//go:build unix

package process

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// setGroup starts a command in a process group, which is killed with it. With a terminal it stays in that of the caller,
// since only that one may read from the terminal.
func setGroup(command *exec.Cmd, terminal bool) {
	if terminal {
		return
	}
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGTERM) }
}

// regainTerminal makes this process group that of the terminal again, after a shell has controlled it.
func regainTerminal(terminal *os.File) {
	signal.Ignore(syscall.SIGTTOU)
	defer signal.Reset(syscall.SIGTTOU)
	_ = unix.IoctlSetPointerInt(int(terminal.Fd()), unix.TIOCSPGRP, unix.Getpgrp())
}

func endGroup(command *exec.Cmd) {
	if command.SysProcAttr != nil {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
	}
}

func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}

func supported() error { return nil }
