package plugintest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/commands/local/localrun"
)

// killPoint is the time at which a step is killed.
type killPoint string

const (
	halfway killPoint = "half-way"
	atEnd   killPoint = "at its end"
)

var killPoints = []killPoint{halfway, atEnd}

// errKilled is the cause of the end of a phase in which a step was killed.
var errKilled = errors.New("killed by the test")

// watched is an engine that measures the times of steps, and kills one of them. All other running steps are killed, too, as
// when a node fails.
type watched struct {
	localrun.Engine

	mu   sync.Mutex
	took map[string]time.Duration // by step: the shortest time of a success

	target    string // the step to kill; empty for none
	killPoint killPoint
	cancel    context.CancelCauseFunc // ends the phase

	ordering func([]v1alpha1.Step) *gate // nil to run steps once their inputs are there
	gate     *gate                       // of the phase
	started  []string                    // the steps that ran, in their order
}

// Run implements localrun.Engine.
func (w *watched) Run(ctx context.Context, container localrun.Container) (localrun.Result, error) {
	step := container.Labels[localrun.LabelStep]
	step = step[strings.LastIndexByte(step, '/')+1:]
	if w.gate != nil {
		return w.gated(ctx, step, container)
	}
	if w.target == "" {
		return w.measured(ctx, step, container)
	}
	// Without a grace period it is killed with SIGKILL.
	template := container.Template.DeepCopy()
	template.Spec.TerminationGracePeriodSeconds = new(int64)
	container.Template = template
	if step == w.target && w.killPoint == halfway {
		timer := time.AfterFunc(w.half(step), func() { w.cancel(errKilled) })
		defer timer.Stop()
	}
	result, err := w.measured(ctx, step, container)
	if step == w.target && w.killPoint == atEnd && err == nil && result.ExitCode == 0 {
		w.cancel(errKilled)
		return localrun.Result{}, errKilled
	}
	return result, err
}

// gated runs a container when its turn has come.
func (w *watched) gated(ctx context.Context, step string, container localrun.Container) (localrun.Result, error) {
	if err := w.gate.enter(ctx, step); err != nil {
		return localrun.Result{}, err
	}
	w.mu.Lock()
	w.started = append(w.started, step)
	w.mu.Unlock()
	result, err := w.Engine.Run(ctx, container)
	w.gate.leave(step, err == nil && result.ExitCode == 0)
	return result, err
}

// measured runs a container, and records its time.
func (w *watched) measured(ctx context.Context, step string, container localrun.Container) (localrun.Result, error) {
	start := time.Now()
	result, err := w.Engine.Run(ctx, container)
	took := time.Since(start)
	w.mu.Lock()
	defer w.mu.Unlock()
	if before, known := w.took[step]; err == nil && result.ExitCode == 0 && (!known || took < before) {
		w.took[step] = took
	}
	return result, err
}

// half returns half of a step's time.
func (w *watched) half(step string) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.took[step] / 2
}
