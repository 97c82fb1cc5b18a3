package localrun

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/report"
)

// Labels that identify containers of interrupted runs.
const (
	LabelRun  = contract.Group + "/run"  // the state's folder
	LabelStep = contract.Group + "/step" // RESOURCE/STEP
)

// exitFailed is the exit code of a step whose script did not start, as for an init container.
const exitFailed = 1

// messageDeadline is Kubernetes's message for a Pod stopped by its activeDeadlineSeconds.
const messageDeadline = "Pod was active on the node longer than the specified deadline"

// run is a run of a phase.
type run struct {
	Options
	phase   *phase
	started time.Time
	turns   chan struct{} // one place for each step that may run at once; nil without a limit
	id      string        // part of the names of containers

	mu      sync.Mutex
	reports []StepReport
	ended   []chan struct{}
	engine  []error // errors of the engine
}

func newRun(options Options, p *phase) *run {
	r := &run{Options: options, phase: p, started: time.Now(), id: strings.ToLower(rand.Text()[:10])}
	if options.Parallel > 0 {
		r.turns = make(chan struct{}, options.Parallel)
	}
	for _, s := range p.steps {
		r.reports = append(r.reports, StepReport{Resource: s.resource, Step: s.name, State: Waiting})
		r.ended = append(r.ended, make(chan struct{}))
	}
	return r
}

// all runs the steps and the cleanup.
func (r *run) all(ctx context.Context) (*Report, error) {
	for i := range r.phase.steps {
		r.observe(i, Waiting, "")
	}
	var group sync.WaitGroup
	for i, s := range r.phase.steps {
		group.Go(func() {
			defer close(r.ended[i])
			r.step(ctx, i, s)
		})
	}
	group.Wait()
	report := &Report{Steps: r.reports}
	if ctx.Err() != nil {
		return report, context.Cause(ctx)
	}
	return report, errors.Join(errors.Join(r.engine...), r.cleanUp())
}

// cleanUp removes the records of resources whose delete steps have all succeeded.
func (r *run) cleanUp() error {
	if r.phase.name != v1alpha1.PhaseDelete {
		return nil
	}
	failed, resources := map[string]bool{}, []string{}
	for _, report := range r.reports {
		failed[report.Resource] = failed[report.Resource] || report.State == Failed
		if !slices.Contains(resources, report.Resource) {
			resources = append(resources, report.Resource)
		}
	}
	for _, resource := range resources {
		if failed[resource] {
			continue
		}
		if err := r.State.clean(r.phase.sandboxID, resource); err != nil {
			return err
		}
	}
	return nil
}

// observe changes the state of a step, and reports it.
func (r *run) observe(i int, state StepState, message string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	report := &r.reports[i]
	report.State, report.Message = state, message
	if r.Observe != nil {
		r.Observe(Event{report.Resource, report.Step, state, message})
	}
}

// set changes the report of a step.
func (r *run) set(i int, change func(*StepReport)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.reports[i])
}

// step runs a step, including the wait for its producers.
func (r *run) step(ctx context.Context, i int, s *step) {
	known, err := r.State.read(s.file())
	if err != nil {
		r.fail(ctx, i, s, err)
		return
	}
	isShell := r.Shell.replaces(s)
	if !isShell && known != nil && known.Published != "" && known.Published == s.generation {
		r.set(i, func(report *StepReport) { report.Outputs = known.Data })
		r.observe(i, Skipped, contract.AlreadyPublished(s.generation))
		return
	}
	inputs, err := r.await(ctx, s)
	if err == nil {
		err = r.turn(ctx)
	}
	if err != nil {
		r.fail(ctx, i, s, err)
		return
	}
	defer r.endTurn()
	r.observe(i, Running, "")
	result, err := r.attempts(ctx, i, s, inputs)
	r.set(i, func(report *StepReport) {
		report.Remaining, report.Unwatched, report.Kept = result.Remaining, result.Unwatched, result.Kept
	})
	switch {
	case err == nil && isShell:
		r.observe(i, Skipped, shellEnded)
	case err != nil:
		r.mu.Lock()
		r.engine = append(r.engine, fmt.Errorf("step %q: %w", s.label(), err))
		r.mu.Unlock()
		r.fail(ctx, i, s, err)
	case result.ExitCode != 0:
		r.set(i, func(report *StepReport) { report.ExitCode = result.ExitCode })
		r.fail(ctx, i, s, errors.New(result.Message))
	default:
		r.publish(ctx, i, s, result)
	}
}

// publish stores the outputs of a step.
func (r *run) publish(ctx context.Context, i int, s *step, result Result) {
	err := r.State.update(s, func(known *record) {
		known.Published, known.Failed, known.Data = s.generation, "", result.Outputs
	})
	if err != nil {
		r.fail(ctx, i, s, fmt.Errorf("cannot publish the outputs: %w", err))
		return
	}
	r.set(i, func(report *StepReport) { report.Outputs = result.Outputs })
	r.observe(i, Done, "")
}

// fail records the failure of a step, unless the run is being stopped: such a step has no result.
func (r *run) fail(ctx context.Context, i int, s *step, err error) {
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	} else if stateErr := r.State.update(s, func(known *record) { known.Failed = s.generation }); stateErr != nil {
		err = errors.Join(err, stateErr)
	}
	r.set(i, func(report *StepReport) { report.ExitCode = max(report.ExitCode, exitFailed) })
	r.observe(i, Failed, report.OneLine(err.Error()))
}

// turn waits until another step may run.
func (r *run) turn(ctx context.Context) error {
	if r.turns == nil {
		return ctx.Err()
	}
	select {
	case r.turns <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *run) endTurn() {
	if r.turns != nil {
		<-r.turns
	}
}

// await waits for the producers of a step, and returns their outputs by the names of their Secrets.
func (r *run) await(ctx context.Context, s *step) (map[string]*source, error) {
	inputs := map[string]*source{}
	if s.plan == nil {
		return inputs, nil
	}
	for n, producer := range s.plan.Producers {
		if err := r.awaitProducer(ctx, s, producer, s.inputs[n]); err != nil {
			return nil, fmt.Errorf("step %q: %w", s.plan.Step, err)
		}
		known, err := r.State.read(recordFile(s.sandboxID, s.inputs[n]))
		if err != nil {
			return nil, err
		}
		if known == nil || known.Published == "" || producer.Generation != "" && known.Published != producer.Generation {
			return nil, fmt.Errorf("step %q: step %q has not published its outputs here: run the %s phase first", s.plan.Step,
				producer.Step, v1alpha1.PhaseCreate)
		}
		for _, input := range producer.Inputs {
			if _, found := known.Data[input.Output]; !found {
				return nil, fmt.Errorf("step %q: step %q is published but has no output %q: run the phase with --rerun",
					s.plan.Step, producer.Step, input.Output)
			}
		}
		inputs[s.inputs[n]] = &source{data: known.Data}
	}
	return inputs, nil
}

// awaitProducer waits for a producer of this phase to end. Steps of the other phase have ended.
func (r *run) awaitProducer(ctx context.Context, s *step, producer contract.Producer, secret string) error {
	of := r.phase.producerOf(secret, s.namespace)
	if producer.Generation == "" || of == nil {
		return nil
	}
	i := slices.Index(r.phase.steps, of)
	select {
	case <-r.ended[i]:
	case <-ctx.Done():
		return ctx.Err()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reports[i].State == Failed {
		return errors.New(contract.ProducerFailed(producer.Step))
	}
	return nil
}
