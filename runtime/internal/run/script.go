package run

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

// script runs the script to its end, or to that of the limit, if there is one. The error says how it failed.
func (r Runner) script(limit time.Duration) error {
	// The kernel sends the script its death signal when the thread that started it ends, so that thread must stay.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	adoptOrphans()
	killed := oomKills(r.Cgroup)
	incoming := make(chan os.Signal, 16)
	signal.Notify(incoming, forwarded...)
	defer signal.Stop(incoming)
	children := make(chan os.Signal, 1)
	signal.Notify(children, syscall.SIGCHLD)
	defer signal.Stop(children)

	process, err := start(r.Command)
	if err != nil {
		return err
	}
	status, late := supervise(process, incoming, children, limit)
	if late {
		return &refusal{code: exitTimeout, text: fmt.Sprintf("the script was ended, since it ran for longer than %s: raise "+
			"stepTimeoutSeconds of render-phase, or activeDeadlineSeconds of the overlay", limit)}
	}
	return verdict(status, r.Command[0], oomKills(r.Cgroup) > killed)
}

// verdict is the error of a script that did not exit with 0.
func verdict(status syscall.WaitStatus, file string, outOfMemory bool) error {
	if status.Signaled() {
		number := status.Signal()
		text := "the script was killed by " + signalName(number)
		if outOfMemory {
			text += ": out of memory; raise the memory limit of main"
		}
		return &refusal{code: 128 + int(number), text: text}
	}
	code := status.ExitStatus()
	if code == 0 {
		return nil
	}
	text := fmt.Sprintf("the script exited with %d", code)
	if outOfMemory {
		text += "; a process of main was killed as it was out of memory: raise main's limit"
	}
	if name := missingFromPath(file); code == exitNotFound && name != "" {
		text += fmt.Sprintf(": its interpreter %q is not in the image", name)
	}
	return &refusal{code: code, text: text}
}
