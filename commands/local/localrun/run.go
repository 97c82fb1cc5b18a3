package localrun

import (
	"context"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Options are the options of Run.
type Options struct {
	// Engine runs the containers.
	Engine Engine
	// State holds what earlier runs published, and receives the outputs of this one.
	State *State
	// Phase is the phase to run; empty means that of the objects, which must all have the same phase.
	Phase v1alpha1.Phase
	// Parallel limits the number of running steps; 0 means no limit.
	Parallel int
	// Observe is called for each change of a step's state, but never concurrently; it may be nil.
	Observe func(Event)
	// Warn is called once for each unsupported field of the Pods and each ignored record, before any step starts; it may be
	// nil.
	Warn func(message string)
	// Rerun runs every step again, even if its outputs are published.
	Rerun bool
	// Keep is the folder in which the containers and folders of failed steps are kept, see StepReport.Kept; empty for none.
	Keep string
	// Shell runs a shell in the place of a step; nil for none.
	Shell *Shell
	// Published returns the outputs of steps that the state has no record of; nil for none.
	Published PublishedFunc
}

// StepState is the state of a step.
type StepState string

// States of steps.
const (
	Waiting StepState = "waiting" // for producers, or for the limit Parallel
	Running StepState = "running"
	Done    StepState = "done"    // its outputs are published
	Skipped StepState = "skipped" // its outputs were already published
	Failed  StepState = "failed"
)

// Event is a change of a step's state.
type Event struct {
	Resource, Step string
	State          StepState
	// Message is the reason why the step failed or was skipped.
	Message string
}

// Report is the result of a run.
type Report struct {
	// Steps are in the order of the objects.
	Steps []StepReport `json:"steps"`
}

// Failed reports whether a step has failed.
func (r *Report) Failed() bool {
	for i := range r.Steps {
		if r.Steps[i].State == Failed {
			return true
		}
	}
	return false
}

// StepReport is the result of a step.
type StepReport struct {
	Resource string    `json:"resource"`
	Step     string    `json:"step"`
	State    StepState `json:"state"`
	// ExitCode is the exit code of the last container.
	ExitCode int `json:"exitCode"`
	// Message is the reason why the step failed or was skipped, on one line.
	Message string `json:"message,omitempty"`
	// Remaining means that processes that the script had started were still running when it ended: see Result.
	Remaining bool `json:"remaining,omitempty"`
	Unwatched bool `json:"-"`
	// Outputs are the published outputs of a step that is done or skipped.
	Outputs map[string][]byte `json:"-"`
	// Log is the file with the log of the step; empty if it did not run.
	Log string `json:"log,omitempty"`
	// Kept describes where the remains of a failed step are, with Options.Keep.
	Kept string `json:"kept,omitempty"`
}

// Run runs the rendered objects of one phase of one sandbox. Each step starts when the steps whose outputs it reads have
// published them. Failed steps are in the report. The error is the reason why no step can run, or why the run ended early:
// the cause of ctx. In that case the report is partial.
func Run(ctx context.Context, objects []*krm.Item, options Options) (*Report, error) {
	phase, err := readPhase(objects, options.Phase)
	if err != nil {
		return nil, err
	}
	if err := phase.checkReferences(); err != nil {
		return nil, err
	}
	if err := options.Shell.limit(phase); err != nil {
		return nil, err
	}
	phase.warn(options)
	unlock, err := options.State.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := options.State.begin(phase, options.Rerun, options.Warn); err != nil {
		return nil, err
	}
	if err := options.State.adopt(ctx, phase, options.Published); err != nil {
		return nil, err
	}
	return newRun(options, phase).all(ctx)
}
