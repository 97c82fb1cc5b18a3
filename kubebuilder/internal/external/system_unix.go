//go:build unix

package external

import (
	"io/fs"
	"os/exec"
	"syscall"
)

// isExecutable reports whether any user may execute the file.
func isExecutable(info fs.FileInfo) bool { return info.Mode()&0o111 != 0 }

// setGroup starts the plugin in its own process group, so that its child processes are killed with it.
func setGroup(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
}

// killGroup kills the remaining processes of the plugin.
func killGroup(command *exec.Cmd) {
	if command.Process != nil {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
	}
}
