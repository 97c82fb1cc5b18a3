// Package wait waits until the steps whose outputs a Pod reads have published them. It watches their Secrets by name,
// all at the same time, so it does not poll. It also watches their Jobs: a step whose Job has ended will not publish
// any more, and a step whose Job has no running Pod may need the place on the node that the waiting Pod holds.
package wait

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
)

// Wait waits for producers.
type Wait struct {
	Client *cluster.Client
	// FailureGrace is how long to wait for a producer that had already failed when the wait began: it may be running again.
	// 0 means 10 s. A producer that fails during the wait ends it at once. After a Job has ended, there is the same time for
	// its outputs to be seen, or for another Job to take its place.
	FailureGrace time.Duration
	// ApplyTimeout is how long to wait for a producer whose Secret was rendered for another generation when the wait began:
	// the Secret may be applied after this Pod. For a producer that has ended, the wait continues for the same time, since
	// the API server may return an older state. 0 means one minute.
	ApplyTimeout time.Duration
	// Limit is how long to wait for a producer that neither runs nor waits for a running step. If its Job cannot create a
	// Pod, or was created longer ago than the limit, it is 2 s. 0 means no limit.
	Limit time.Duration
	// Ancestors are the Jobs that the producers wait for, directly or indirectly.
	Ancestors []cluster.Ref
	// Log is called for problems that do not end the wait.
	Log func(text string)
}

// Producer is a step to wait for, its Secret, and its Job. The Job has no name if it is not known.
type Producer struct {
	contract.Producer
	Secret, Job cluster.Ref
}

// ofCreate returns the outputs to read of a create step for a delete step, which accepts those of any generation.
func (p *Producer) ofCreate() (outputs []string) {
	if p.Generation != "" {
		return nil
	}
	for _, input := range p.Inputs {
		if !slices.Contains(outputs, input.Output) {
			outputs = append(outputs, input.Output)
		}
	}
	return outputs
}

// failure returns the error of a producer that has recorded its failure.
func (p *Producer) failure() error {
	if outputs := p.ofCreate(); len(outputs) > 0 {
		return &NeverPublished{Step: p.Step, Outputs: outputs}
	}
	return &Failed{Step: p.Step}
}

// All waits for every producer and calls onPublished with the index and the Secret of each, one call at a time. The first
// error ends the wait.
func (w Wait) All(ctx context.Context, producers []Producer, onPublished func(int, *cluster.Secret) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var group, ancestors sync.WaitGroup
	var mu sync.Mutex
	places := &places{limit: w.Limit, jobs: map[string]*jobState{}}
	for _, job := range w.Ancestors {
		ancestors.Go(func() { w.followJob(ctx, job, places, func(*cluster.Job) {}) })
	}
	for i, producer := range producers {
		group.Go(func() {
			err := w.waitFor(ctx, producer, places, func(secret *cluster.Secret) error {
				mu.Lock()
				defer mu.Unlock()
				return onPublished(i, secret)
			})
			if err != nil {
				stop(err)
			}
		})
	}
	group.Wait()
	cause := context.Cause(ctx)
	stop(nil)
	ancestors.Wait()
	return cause
}

// waitFor waits for one producer.
func (w Wait) waitFor(
	ctx context.Context, producer Producer, places *places, onPublished func(*cluster.Secret) error,
) error {
	ctx, stop := context.WithCancelCause(ctx)
	name := cmp.Or(producer.Job.Name, "secret "+producer.Secret.Name)
	places.add(name, func() { stop(&NotRunning{Step: producer.Step, Outputs: producer.ofCreate()}) })
	defer places.remove(name)
	if producer.Ended {
		missing := &NotPublished{Step: producer.Step, Secret: producer.Secret}
		defer time.AfterFunc(w.applyTimeout(), func() { stop(missing) }).Stop()
	}
	var job sync.WaitGroup
	var hasFailed atomic.Bool // according to the Secret
	if producer.Job.Name != "" {
		job.Go(func() { w.followProducer(ctx, producer, &hasFailed, places, stop) })
	}
	err := w.watchSecret(ctx, producer, &hasFailed, stop, onPublished)
	stop(nil)
	job.Wait()
	return err
}

// watchSecret waits until the Secret of a producer has the outputs. It ends the wait if the Secret records that the
// step failed or that it was rendered again: at once if that changed during the wait, otherwise after some time.
func (w Wait) watchSecret(
	ctx context.Context, producer Producer, hasFailed *atomic.Bool, stop context.CancelCauseFunc,
	onPublished func(*cluster.Secret) error,
) error {
	ends := map[progress]error{
		failed:     producer.failure(),
		superseded: &Superseded{Step: producer.Step, Secret: producer.Secret, Generation: producer.Generation},
	}
	times := map[progress]time.Duration{failed: w.grace(), superseded: w.applyTimeout()}
	var timer *time.Timer // runs while the Secret is unchanged since the wait began, in the state timed
	timed, changed := pending, false
	defer func() { stopTimer(timer) }()
	err := w.Client.Watch(ctx, producer.Secret, func(secret *cluster.Secret) (bool, error) {
		now := progressOf(producer.Generation, secret)
		hasFailed.Store(now == failed)
		if timed != now {
			stopTimer(timer)
			timed = pending
		}
		switch {
		case now == published:
			if err := checkKeys(producer, secret); err != nil {
				return true, err
			}
			return true, onPublished(secret)
		case now == pending:
			changed = changed || secret != nil
		case changed:
			return true, ends[now]
		case timed == pending:
			timed = now
			timer = time.AfterFunc(times[now], func() { stop(ends[now]) })
		}
		return false, nil
	})
	for _, end := range ends {
		if errors.Is(err, end) {
			return end // without the last error of the client
		}
	}
	return err
}

func stopTimer(timer *time.Timer) {
	if timer != nil {
		timer.Stop()
	}
}

func (w Wait) applyTimeout() time.Duration { return cmp.Or(w.ApplyTimeout, time.Minute) }

func (w Wait) grace() time.Duration { return cmp.Or(w.FailureGrace, 10*time.Second) }
