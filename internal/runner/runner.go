//go:build linux

package runner

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// Exit codes of the runner itself. Otherwise it exits with the script's code, or 128 plus the number of its signal.
const (
	exitFailed        = 1   // the script must not run, or an output is missing
	exitTimeout       = 124 // the script timed out, as in timeout(1)
	exitNotExecutable = 126 // the script cannot be executed, as in shells
	exitNotFound      = 127 // the interpreter is missing, as in shells
)

// Runner runs one script once.
type Runner struct {
	// Folder is the shared volume: contract.IOFolder in a Pod.
	Folder string
	// Cgroup is the mount of the container's control group: CgroupFolder in a Pod.
	Cgroup string
	// Reporter writes the reason of a failure.
	Reporter Reporter
	// Command is the path of the script and its arguments.
	Command []string
}

// exitError is an error with the exit code of the container.
type exitError struct {
	code int
	text string
}

func (r *exitError) Error() string { return r.text }

// Run runs the script and returns the exit code of the container.
func (r Runner) Run() int {
	// A closed stderr must not kill the runner. SIGPIPE is caught, not ignored, since the script would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	if len(r.Command) == 0 {
		r.Reporter.Fail("usage: runner SCRIPT [ARGUMENT...]")
		return exitFailed
	}
	volume, err := OpenVolume(r.Folder)
	if err != nil {
		r.Reporter.Fail(err.Error())
		return exitFailed
	}
	lock, err := volume.Lock()
	if err != nil {
		r.Reporter.Fail(err.Error())
		return exitFailed
	}
	defer lock.Unlock()
	return r.runLocked(volume)
}

// runLocked runs the step while the lock is held, unless a marker forbids it.
func (r Runner) runLocked(volume *Volume) int {
	plan, err := volume.Plan()
	if err != nil {
		r.Reporter.Fail(err.Error())
		return exitFailed
	}
	switch {
	case volume.HasMarker(contract.PublishedFile):
		r.Reporter.Log(fmt.Sprintf("step %q: already published, the script is not run again", plan.Step))
		return 0
	case volume.HasMarker(contract.AbandonedFile):
		r.Reporter.Fail(fmt.Sprintf("step %q: main started after the start timeout: the script must not run, since the "+
			"output manager has ended and would not publish its outputs", plan.Step))
		return exitFailed
	case volume.HasMarker(contract.StartedFile):
		r.Reporter.Fail(fmt.Sprintf("step %q: the script has already run in this Pod and must not run twice", plan.Step))
		return exitFailed
	}
	if err := volume.SetMarker(contract.StartedFile); err != nil {
		r.Reporter.Fail(fmt.Sprintf("step %q: %v", plan.Step, err))
		return exitFailed
	}
	return r.finish(volume, plan.Step, r.runStep(volume, plan))
}

// runStep runs the script and collects its outputs.
func (r Runner) runStep(volume *Volume, plan contract.Plan) error {
	makeOutputFolders(plan.Outputs)
	running, err := r.runScript(time.Duration(plan.TimeoutSeconds)*time.Second, func() {
		if err := volume.SetMarker(contract.TerminatedFile); err != nil {
			r.Reporter.Log(fmt.Sprintf("step %q: %v", plan.Step, err))
		}
	})
	if err != nil {
		return withFolders(err, plan.Outputs)
	}
	if err = collect(volume, plan.Outputs); len(running) == 0 {
		return err
	}
	text := Remain + ": " + listed(running)
	if err != nil {
		return fmt.Errorf("%w; %s", err, text)
	}
	r.Reporter.Log(fmt.Sprintf("step %q: %s: the script must wait for those that write outputs", plan.Step, text))
	return nil
}

// finish writes the exit code for the output manager and returns it.
func (r Runner) finish(volume *Volume, step string, err error) int {
	code := 0
	if err != nil {
		code = exitFailed
		var failure *exitError
		if errors.As(err, &failure) {
			code = failure.code
		}
		r.Reporter.Fail(fmt.Sprintf("step %q: %v", step, err))
	}
	if err := volume.WriteExit(code); err != nil {
		r.Reporter.Fail(fmt.Sprintf("step %q: %v", step, err))
		return max(code, exitFailed)
	}
	return code
}
