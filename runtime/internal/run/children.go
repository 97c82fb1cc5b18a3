package run

import (
	"errors"
	"os"
	"strconv"
	"syscall"
	"time"
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

// grace is what a script has for its end once it was asked to end: less than the 30 s that Kubernetes gives a Pod.
const grace = 10 * time.Second

// supervise passes signals on until the script ends, and ends one that takes longer than the limit, if there is one.
// One goroutine does it all, so that no signal can go to a process that has taken over the number of an ended script.
func supervise(process int, incoming, children <-chan os.Signal, limit time.Duration) (end syscall.WaitStatus, late bool) {
	var overdue <-chan time.Time
	if limit > 0 {
		overdue = time.After(limit)
	}
	for {
		select {
		case <-overdue:
			number := syscall.SIGTERM
			if late {
				number = syscall.SIGKILL
			}
			_ = syscall.Kill(process, number)
			late, overdue = true, time.After(grace)
		case received := <-incoming:
			if number, ok := received.(syscall.Signal); ok {
				_ = syscall.Kill(process, number)
			}
		case <-children:
			if status, ended := bury(process); ended {
				return status, late
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
