//go:build linux

package runner

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// forwarded are the signals that are forwarded to the script. Signals about the runner itself, such as SIGCHLD, SIGPIPE
// and SIGURG, are not.
var forwarded = []os.Signal{
	syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM,
	syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH, syscall.SIGCONT,
}

// ending are the signals that end a Pod: SIGTERM, or the stop signal of an image.
var ending = []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGQUIT}

// adoptOrphans makes the runner the parent of orphaned processes even if it is not process 1 (shareProcessNamespace).
func adoptOrphans() {
	const setChildSubreaper = 36 // PR_SET_CHILD_SUBREAPER of linux/prctl.h
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0)
}

// killDelay is the time between SIGTERM and SIGKILL for a script that timed out: less than the 30 s that Kubernetes
// gives a Pod.
const killDelay = 10 * time.Second

// supervise forwards signals until the script ends, and ends it at the limit, if there is one. Before it forwards a signal
// that ends a Pod, it calls terminated. It uses one goroutine, so that no signal is sent to another process that reuses the
// id of the ended script.
func supervise(
	process int, incoming, children <-chan os.Signal, limit time.Duration, terminated func(),
) (end syscall.WaitStatus, timedOut bool) {
	var timeout <-chan time.Time
	if limit > 0 {
		timeout = time.After(limit)
	}
	for {
		select {
		case <-timeout:
			sig := syscall.SIGTERM
			if timedOut {
				sig = syscall.SIGKILL
			}
			_ = syscall.Kill(process, sig)
			timedOut, timeout = true, time.After(killDelay)
		case received := <-incoming:
			if slices.Contains(ending, received) {
				terminated()
			}
			if sig, ok := received.(syscall.Signal); ok {
				_ = syscall.Kill(process, sig)
			}
		case <-children:
			if status, ended := reap(process); ended {
				return status, timedOut
			}
		}
	}
}

// reap waits for all children that have ended, orphans included, and reports whether the script is among them.
func reap(process int) (script syscall.WaitStatus, ended bool) {
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

// signalName returns the name of a signal: syscall has only descriptions.
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
