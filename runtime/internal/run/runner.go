// Package run is the runner: the process that main's command is replaced with. It runs the script as main would have run
// it, and stands between the script and the other containers: it holds the lock while the script lives, refuses to run
// one that must not run any more, passes signals on, buries orphans, collects the outputs and says in one line why a
// step failed.
package run

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/handover"
	"github.com/resource-plugins/krm-functions/runtime/internal/report"
)

// Exit codes of the runner itself; else it exits with the script's, or 128 and the number of the signal that ended it.
const (
	exitRefused   = 1   // must not run, or the outputs are not as declared
	exitTimeout   = 124 // the script took too long, as timeout(1) says it
	exitNoCommand = 126 // the script cannot be executed, as shells say it
	exitNotFound  = 127 // its interpreter is missing, as shells say it
)

// Runner runs one script once.
type Runner struct {
	// Folder is the shared volume: contract.IOFolder in a Pod.
	Folder string
	// Cgroup is where the container's own control group is mounted: CgroupFolder in a Pod.
	Cgroup string
	// Reporter takes the reason of a failure.
	Reporter report.Reporter
	// Command is the script's file and its arguments.
	Command []string
}

// refusal is an ending that is not the script's.
type refusal struct {
	code int
	text string
}

func (r *refusal) Error() string { return r.text }

// Run returns the exit code of the container.
func (r Runner) Run() int {
	// A closed log must not kill the runner. Catching the signal, unlike ignoring it, leaves the script's as it is.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	if len(r.Command) == 0 {
		r.Reporter.Fail("the runner must be called with the script's file")
		return exitRefused
	}
	folder, err := handover.Open(r.Folder)
	if err != nil {
		r.Reporter.Fail(err.Error())
		return exitRefused
	}
	lock, err := folder.Take()
	if err != nil {
		r.Reporter.Fail(err.Error())
		return exitRefused
	}
	defer lock.Release()
	return r.locked(folder)
}

// locked is what happens under the lock. Only here is anything marked or run.
func (r Runner) locked(folder *handover.Folder) int {
	plan, err := folder.Plan()
	if err != nil {
		r.Reporter.Fail(err.Error())
		return exitRefused
	}
	switch {
	case folder.Marked(contract.PublishedFile):
		r.Reporter.Say(fmt.Sprintf("step %q: its outputs are published already, so the script does not run again", plan.Step))
		return 0
	case folder.Marked(contract.AbandonedFile):
		r.Reporter.Fail(fmt.Sprintf("step %q: this container came after the start timeout, when the output manager had "+
			"given up: the script must not run, since nobody would publish its outputs", plan.Step))
		return exitRefused
	case folder.Marked(contract.StartedFile):
		r.Reporter.Fail(fmt.Sprintf("step %q: the script was started before in this Pod: it must not run twice", plan.Step))
		return exitRefused
	}
	if err := folder.Mark(contract.StartedFile); err != nil {
		r.Reporter.Fail(fmt.Sprintf("step %q: %v", plan.Step, err))
		return exitRefused
	}
	return r.finish(folder, plan.Step, r.step(folder, plan))
}

// step runs the script and collects its outputs.
func (r Runner) step(folder *handover.Folder, plan contract.Plan) error {
	makeParents(plan.Outputs)
	if err := r.script(time.Duration(plan.TimeoutSeconds) * time.Second); err != nil {
		return err
	}
	return collect(folder, plan.Outputs)
}

// finish leaves the exit code for the output manager and returns it.
func (r Runner) finish(folder *handover.Folder, step string, err error) int {
	code := 0
	if err != nil {
		code = exitRefused
		var refused *refusal
		if errors.As(err, &refused) {
			code = refused.code
		}
		r.Reporter.Fail(fmt.Sprintf("step %q: %v", step, err))
	}
	if err := folder.WriteExit(code); err != nil {
		r.Reporter.Fail(fmt.Sprintf("step %q: %v", step, err))
		return max(code, exitRefused)
	}
	return code
}
