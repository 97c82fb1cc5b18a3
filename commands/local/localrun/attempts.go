package localrun

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"
)

// attempts runs the container of a step, and retries failures as often as its Job does.
func (r *run) attempts(ctx context.Context, i int, s *step, inputs map[string]*source) (result Result, err error) {
	container, err := r.phase.resolver(s, func(secret string) *source { return inputs[secret] }).container()
	if err != nil {
		return result, err
	}
	file, err := r.State.log(s)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	r.set(i, func(report *StepReport) { report.Log = file.Name() })
	container.Log = &log{file: file}
	container.Labels = map[string]string{LabelRun: r.State.folder, LabelStep: s.label()}
	if r.Shell.replaces(s) {
		container.Name = fmt.Sprintf("rplug-%s-shell", r.id)
		return r.Engine.Run(ctx, r.Shell.in(container))
	}
	if s.jobDeadline > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithDeadline(ctx, r.started.Add(s.jobDeadline))
		defer stop()
	}
	for attempt := range s.attempts {
		container.Name = fmt.Sprintf("rplug-%s-%d-%d", r.id, i, attempt)
		if r.Keep != "" && attempt == s.attempts-1 {
			container.Keep = filepath.Join(r.Keep, container.Name)
		}
		if result, err = r.attempt(ctx, s, container, attempt); err != nil || result.ExitCode == 0 || ctx.Err() != nil {
			break
		}
	}
	return result, err
}

// attempt runs a container within the deadline of its Pod. The first Pod exists since the start of the run.
func (r *run) attempt(ctx context.Context, s *step, container Container, number int) (Result, error) {
	limited := ctx
	if seconds := s.template.Spec.ActiveDeadlineSeconds; seconds != nil {
		start := time.Now()
		if number == 0 {
			start = r.started
		}
		var stop context.CancelFunc
		limited, stop = context.WithDeadline(ctx, start.Add(time.Duration(*seconds)*time.Second))
		defer stop()
	}
	result, err := r.Engine.Run(limited, container)
	switch {
	case limited.Err() == context.DeadlineExceeded && (result.Interrupted || errors.Is(err, context.DeadlineExceeded)):
		// A container that ended before the deadline has its own message, or has succeeded.
		return Result{ExitCode: max(result.ExitCode, exitFailed), Message: messageDeadline}, nil
	case err != nil:
	case result.ExitCode != 0 && result.Message == "":
		result.Message = fmt.Sprintf("main exited with %d", result.ExitCode)
	}
	return result, err
}
