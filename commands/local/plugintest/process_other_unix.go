//go:build unix && !linux

package plugintest

import (
	"os/exec"
	"syscall"
)

// separations are ways to start a command: in a new process group.
func separations() []func(*exec.Cmd) {
	return []func(*exec.Cmd){func(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }}
}
