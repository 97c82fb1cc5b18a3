package localrun

import (
	"context"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Options say how the objects are run.
type Options struct {
	// Engine runs the containers.
	Engine Engine
	// State has what earlier runs published, and takes what this one does.
	State *State
	// Phase is the phase that is run; empty means that of the objects, which must have one phase alone.
	Phase v1alpha1.Phase
	// Parallel limits how many steps run at once; 0 means all that are ready.
	Parallel int
	// Observe is called for each change of a step's state, one call at a time; it may be nil.
	Observe func(Event)
	// Warn is called once for each field of the Pods that is not honoured here, before anything runs; it may be nil.
	Warn func(message string)
	// Rerun forgets what is published, so that every step runs.
	Rerun bool
}

// StepState is how far a step is.
type StepState string

// The states of steps.
const (
	Waiting StepState = "waiting" // for its producers, or for its turn
	Running StepState = "running"
	Done    StepState = "done"    // its outputs are published
	Skipped StepState = "skipped" // its outputs were published before, so it does not run again
	Failed  StepState = "failed"
)

// Event is a change of a step's state.
type Event struct {
	Resource, Step string
	State          StepState
	// Message says why the step failed or was skipped.
	Message string
}

// Report is how a run ended.
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

// StepReport is how a step ended.
type StepReport struct {
	Resource string    `json:"resource"`
	Step     string    `json:"step"`
	State    StepState `json:"state"`
	// ExitCode is that of the last container.
	ExitCode int `json:"exitCode"`
	// Message says on one line why the step failed or was skipped.
	Message string `json:"message,omitempty"`
	// Outputs are what is published, for a step that is done or skipped.
	Outputs map[string][]byte `json:"-"`
	// Log is the file with what the step printed; empty if it did not run.
	Log string `json:"log,omitempty"`
}

// Run runs the rendered objects of one phase of one sandbox: each step starts when the steps whose outputs it reads have
// published them. A step that fails is in the report. The error says why nothing can be run, or what has ended the run
// early: the cause of ctx. The report then says how far it was.
func Run(ctx context.Context, objects []*krm.Item, options Options) (*Report, error) {
	phase, err := readPhase(objects, options.Phase)
	if err != nil {
		return nil, err
	}
	if err := phase.checkReferences(); err != nil {
		return nil, err
	}
	phase.warn(options)
	unlock, err := options.State.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := options.State.begin(phase, options.Rerun); err != nil {
		return nil, err
	}
	return newRun(options, phase).all(ctx)
}
