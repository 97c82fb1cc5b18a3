//go:build unix

package container

import (
	"os/exec"
	"syscall"
)

// separate starts a command in its own process group.
func separate(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
