// Package wait holds a Pod back until the steps that it reads have published. It watches their Secrets, each by its name,
// all at once: a publication is seen within milliseconds, and nothing is asked for in between.
package wait

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
)

// Wait is how a Pod waits.
type Wait struct {
	Client *cluster.Client
	// Standing is how long a failure that was stamped before the Pod looked may stand: time for a producer that runs
	// again to take it back. 0 means 10 s. A failure that is stamped while the Pod looks ends the wait at once.
	Standing time.Duration
}

// Producer is a step that is waited for, and its Secret.
type Producer struct {
	contract.Producer
	Secret cluster.Ref
}

// Failed says that a producer failed.
type Failed struct{ Step string }

func (f *Failed) Error() string {
	return fmt.Sprintf("step %q failed, whose outputs are needed: its Job and its Pod's termination message say why", f.Step)
}

// All waits for every producer, and calls arrived for each with what is published, one call after the other. The first
// fault ends the wait.
func (w Wait) All(ctx context.Context, producers []Producer, arrived func(int, *cluster.Secret) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var group sync.WaitGroup
	var one sync.Mutex
	for i, producer := range producers {
		group.Go(func() {
			err := w.one(ctx, producer, func(secret *cluster.Secret) error {
				one.Lock()
				defer one.Unlock()
				return arrived(i, secret)
			})
			if err != nil {
				stop(err)
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

// one waits for one producer.
func (w Wait) one(ctx context.Context, producer Producer, arrived func(*cluster.Secret) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	failed := &Failed{Step: producer.Step}
	var standing *time.Timer // runs while a failure stands that was there at the first look
	first := true
	err := w.Client.Watch(ctx, producer.Secret, func(secret *cluster.Secret) (bool, error) {
		looked := !first
		first = false
		now := state(producer.Generation, secret)
		if now != failure && standing != nil {
			standing.Stop()
			standing = nil
		}
		switch {
		case now == published:
			if err := complete(producer, secret); err != nil {
				return true, err
			}
			return true, arrived(secret)
		case now == failure && !looked:
			standing = time.AfterFunc(w.standing(), func() { stop(failed) })
		case now == failure && standing == nil:
			return true, failed
		}
		return false, nil
	})
	if standing != nil {
		standing.Stop()
	}
	if errors.Is(err, failed) {
		return failed
	}
	return err
}

func (w Wait) standing() time.Duration {
	if w.Standing == 0 {
		return 10 * time.Second
	}
	return w.Standing
}
