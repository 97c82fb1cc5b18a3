package plugintest

import (
	"os"
	"os/exec"
	"syscall"
)

// separations are ways to start a command, the best one first: in a new PID namespace, so that all processes in it end with
// it, even those that have left the process group; or in a new process group.
func separations() []func(*exec.Cmd) {
	return []func(*exec.Cmd){
		func(command *exec.Cmd) {
			group(command)
			command.SysProcAttr.Cloneflags = syscall.CLONE_NEWPID
			if user := os.Geteuid(); user != 0 {
				command.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
				command.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: user, HostID: user, Size: 1}}
				command.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
			}
		},
		group,
	}
}

func group(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
