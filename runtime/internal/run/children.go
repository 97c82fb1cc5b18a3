package run

import (
	"errors"
	"os"
	"strconv"
	"syscall"
)

// forwarded are the signals that the script gets as the first process of a container would. What the kernel sends to
// the runner about itself (SIGCHLD, SIGPIPE, SIGURG and the like) is not passed on.
var forwarded = []os.Signal{
	syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM,
	syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH, syscall.SIGCONT,
}

// adoptOrphans makes the runner the parent of the script's orphans also where it is not the Pod's first process
// (shareProcessNamespace).
func adoptOrphans() {
	const setChildSubreaper = 36 // PR_SET_CHILD_SUBREAPER of linux/prctl.h
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0)
}

// supervise passes signals on until the script ends. One goroutine does both, so that no signal can go to a process
// that has taken over the number of an ended script.
func supervise(process int, incoming, children <-chan os.Signal) syscall.WaitStatus {
	for {
		select {
		case received := <-incoming:
			if number, ok := received.(syscall.Signal); ok {
				_ = syscall.Kill(process, number)
			}
		case <-children:
			if status, ended := bury(process); ended {
				return status
			}
		}
	}
}

// bury waits for all children that have ended: orphans come to the first process of a container.
func bury(process int) (script syscall.WaitStatus, ended bool) {
	for {
		var status syscall.WaitStatus
		child, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil || child <= 0:
			return script, ended
		case child == process:
			script, ended = status, true
		}
	}
}

// signalName is how people write the signal.
func signalName(number syscall.Signal) string {
	names := map[syscall.Signal]string{
		syscall.SIGHUP: "SIGHUP", syscall.SIGINT: "SIGINT", syscall.SIGQUIT: "SIGQUIT", syscall.SIGILL: "SIGILL",
		syscall.SIGABRT: "SIGABRT", syscall.SIGBUS: "SIGBUS", syscall.SIGFPE: "SIGFPE", syscall.SIGKILL: "SIGKILL",
		syscall.SIGSEGV: "SIGSEGV", syscall.SIGPIPE: "SIGPIPE", syscall.SIGALRM: "SIGALRM", syscall.SIGTERM: "SIGTERM",
	}
	if name, found := names[number]; found {
		return name
	}
	return "signal " + strconv.Itoa(int(number))
}
