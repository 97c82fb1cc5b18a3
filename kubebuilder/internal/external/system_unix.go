//go:build unix

package external

import (
	"io/fs"
	"os/exec"
	"syscall"
)

// isExecutable reports whether somebody may execute the file.
func isExecutable(info fs.FileInfo) bool { return info.Mode()&0o111 != 0 }

// ownGroup puts the plugin into a process group of its own, so that killing it ends the processes that it started, too.
func ownGroup(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
}

// endGroup ends what the plugin has left running.
func endGroup(command *exec.Cmd) {
	if command.Process != nil {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
	}
}
