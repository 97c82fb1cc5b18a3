// Package wait waits until the steps whose outputs a Pod reads have published them. It watches their Secrets by name, all
// at the same time, so it does not poll.
package wait

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
)

// Wait waits for producers.
type Wait struct {
	Client *cluster.Client
	// FailureGrace is how long to wait for a producer that had already failed when the wait began: it may be running
	// again. 0 means 10 s. A producer that fails during the wait ends it at once.
	FailureGrace time.Duration
}

// Producer is a step to wait for, and its Secret.
type Producer struct {
	contract.Producer
	Secret cluster.Ref
}

// Failed is the error of a failed producer.
type Failed struct{ Step string }

func (f *Failed) Error() string {
	return fmt.Sprintf("step %q failed and its outputs are needed: see its Job and its Pod's termination message", f.Step)
}

// All waits for every producer and calls onPublished with the index and the Secret of each, one call at a time. The first
// error ends the wait.
func (w Wait) All(ctx context.Context, producers []Producer, onPublished func(int, *cluster.Secret) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var group sync.WaitGroup
	var mu sync.Mutex
	for i, producer := range producers {
		group.Go(func() {
			err := w.waitFor(ctx, producer, func(secret *cluster.Secret) error {
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
	return context.Cause(ctx)
}

// waitFor waits for one producer.
func (w Wait) waitFor(ctx context.Context, producer Producer, onPublished func(*cluster.Secret) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	failure := &Failed{Step: producer.Step}
	var grace *time.Timer // runs while a failure from before the wait is still recorded
	first := true
	err := w.Client.Watch(ctx, producer.Secret, func(secret *cluster.Secret) (bool, error) {
		initial := first
		first = false
		progress := progressOf(producer.Generation, secret)
		if progress != failed && grace != nil {
			grace.Stop()
			grace = nil
		}
		switch {
		case progress == published:
			if err := checkKeys(producer, secret); err != nil {
				return true, err
			}
			return true, onPublished(secret)
		case progress == failed && initial:
			grace = time.AfterFunc(cmp.Or(w.FailureGrace, 10*time.Second), func() { stop(failure) })
		case progress == failed && grace == nil:
			return true, failure
		}
		return false, nil
	})
	if grace != nil {
		grace.Stop()
	}
	if errors.Is(err, failure) {
		return failure
	}
	return err
}
