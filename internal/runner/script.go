//go:build linux

package runner

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

// runScript runs the script until it ends or reaches the limit, if there is one. It returns the processes that a script
// which succeeded has left behind. For a signal that ends the Pod it calls terminated.
func (r Runner) runScript(limit time.Duration, terminated func()) (running []string, err error) {
	// Pdeathsig is sent when the thread that started the script ends, so that thread must not end.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	adoptOrphans()
	killed := oomKills(r.Cgroup)
	// These signals are caught until the runner ends: SIGTERM while it copies the outputs must not end it.
	incoming := make(chan os.Signal, 16)
	signal.Notify(incoming, forwarded...)
	children := make(chan os.Signal, 1)
	signal.Notify(children, syscall.SIGCHLD)
	defer signal.Stop(children)

	process, err := start(r.Command)
	if err != nil {
		return nil, err
	}
	status, timedOut := supervise(process, incoming, children, limit, terminated)
	if timedOut {
		return nil, &exitError{code: exitTimeout, text: fmt.Sprintf("the script timed out after %s: raise stepTimeoutSeconds of "+
			"render-phase, or activeDeadlineSeconds of the overlay", limit)}
	}
	if err := scriptError(status, r.Command[0], oomKills(r.Cgroup) > killed); err != nil {
		return nil, err
	}
	return waitForChildren(childrenGrace), nil
}

// scriptError returns the error of a script that did not exit with 0.
func scriptError(status syscall.WaitStatus, file string, outOfMemory bool) error {
	if status.Signaled() {
		number := status.Signal()
		text := "the script was killed by " + signalName(number)
		if outOfMemory {
			text += ": out of memory; raise the memory limit of main"
		}
		return &exitError{code: 128 + int(number), text: text}
	}
	code := status.ExitStatus()
	if code == 0 {
		return nil
	}
	text := fmt.Sprintf("the script exited with %d", code)
	if outOfMemory {
		text += "; a process of main was out of memory: raise the memory limit of main"
	}
	if name := missingEnvProgram(file); code == exitNotFound && name != "" {
		text += fmt.Sprintf(": its interpreter %q is not in the image", name)
	}
	return &exitError{code: code, text: text}
}
