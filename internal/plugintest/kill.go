package plugintest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/resource-plugins/krm-functions/local/localrun"
)

// moment is when a step is killed.
type moment string

const (
	halfway moment = "half-way"
	atEnd   moment = "at its end"
)

var moments = []moment{halfway, atEnd}

// errKilled is the cause of the end of a phase in which a step was killed.
var errKilled = errors.New("killed by the test")

// watched is an engine that measures how long steps take, and kills one. Everything that runs is killed with it, as when a
// node fails.
type watched struct {
	localrun.Engine

	mu   sync.Mutex
	took map[string]time.Duration // by step: the shortest time in which it succeeded

	target string // the step that is killed, empty if none is
	moment moment
	cancel context.CancelCauseFunc // ends the phase
}

// Run implements localrun.Engine.
func (w *watched) Run(ctx context.Context, container localrun.Container) (localrun.Result, error) {
	step := container.Labels[localrun.LabelStep]
	step = step[strings.LastIndexByte(step, '/')+1:]
	if w.target == "" {
		return w.measured(ctx, step, container)
	}
	// Without a grace period SIGKILL is what ends it.
	template := container.Template.DeepCopy()
	template.Spec.TerminationGracePeriodSeconds = new(int64)
	container.Template = template
	if step == w.target && w.moment == halfway {
		timer := time.AfterFunc(w.half(step), func() { w.cancel(errKilled) })
		defer timer.Stop()
	}
	result, err := w.measured(ctx, step, container)
	if step == w.target && w.moment == atEnd && err == nil && result.ExitCode == 0 {
		w.cancel(errKilled)
		return localrun.Result{}, errKilled
	}
	return result, err
}

// measured runs a container, and keeps how long that took.
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

// half is half of the time that a step took.
func (w *watched) half(step string) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.took[step] / 2
}
