package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Retryable is an error that may go away when another object is applied. It is retried for Timing.ApplyTimeout.
type Retryable struct{ Cause error }

func (r *Retryable) Error() string { return r.Cause.Error() }
func (r *Retryable) Unwrap() error { return r.Cause }

// retryState decides whether and when a request is sent again.
type retryState struct {
	timing      Timing
	log         func(text string)
	failedSince time.Time // of consecutive errors that are limited by ApplyTimeout; zero if the last was another
	last        error     // of the last attempt that was not interrupted
}

// wait waits until the next attempt is due. It returns an error if there is no next attempt: the last error was final,
// the ApplyTimeout is over, or the context ended.
func (r *retryState) wait(ctx context.Context, started time.Time, err error) error {
	var failure *Failure
	var retryable *Retryable
	pause := time.Duration(0)
	if ctx.Err() != nil {
		return withLast(context.Cause(ctx), r.last)
	}
	r.last = err
	switch {
	case err == nil:
		r.failedSince = time.Time{}
	case errors.As(err, &retryable), errors.As(err, &failure) && failure.MayBeUnapplied():
		if r.failedSince.IsZero() {
			r.failedSince = time.Now()
			r.log(fmt.Sprintf("%v; trying again for %s, since it may be applied later", err, r.timing.ApplyTimeout))
		}
		if time.Since(r.failedSince) >= r.timing.ApplyTimeout {
			return err
		}
	case failure != nil && failure.Temporary():
		r.failedSince = time.Time{}
		pause = failure.RetryAfter
	default:
		return err
	}
	pause = max(pause, jitter(r.timing.Interval)-time.Since(started))
	if ended := sleep(ctx, pause); ended != nil {
		return withLast(ended, err)
	}
	return nil
}

// withLast adds the last error to the cause of a context's end.
func withLast(ended, last error) error {
	if last == nil {
		return ended
	}
	return fmt.Errorf("%w; last error: %w", ended, last)
}

// retry calls attempt until it succeeds or its error is final.
func (c *Client) retry(ctx context.Context, attempt func() error) error {
	state := retryState{timing: c.timing, log: c.log}
	for {
		started := time.Now()
		err := attempt()
		if err == nil {
			return nil
		}
		if err := state.wait(ctx, started, err); err != nil {
			return err
		}
	}
}
