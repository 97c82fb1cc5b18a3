//go:build unix

package container

import (
	"os/exec"
	"syscall"
)

// separate puts a command into a process group of its own.
func separate(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
