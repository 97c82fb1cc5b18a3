//go:build unix

package container

import (
	"os"
	"os/exec"
	"syscall"
)

// separate puts a command into a process group of its own.
func separate(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// exists reports whether a process exists.
func exists(process *os.Process) bool { return process.Signal(syscall.Signal(0)) == nil }
