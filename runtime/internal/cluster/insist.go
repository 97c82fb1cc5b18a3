package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// NotYet is an answer that another object, still to be applied, may change: it is asked again until the patience ends.
type NotYet struct{ Cause error }

func (n *NotYet) Error() string { return n.Cause.Error() }
func (n *NotYet) Unwrap() error { return n.Cause }

// series is a row of tries of one thing.
type series struct {
	timing  Timing
	refused time.Time // since when nothing but early refusals came; zero where the last try went otherwise
	last    error     // how the last try went that was not interrupted
}

// after waits as long as the outcome of a try that began at the given time asks for. It returns the error that ends the
// series: one that is final, an early refusal for longer than the patience, or the end of the context.
func (s *series) after(ctx context.Context, began time.Time, err error) error {
	var failure *Failure
	var notYet *NotYet
	pause := time.Duration(0)
	if ctx.Err() != nil {
		return given(context.Cause(ctx), s.last)
	}
	s.last = err
	switch {
	case err == nil:
		s.refused = time.Time{}
	case errors.As(err, &notYet), errors.As(err, &failure) && failure.Early():
		if s.refused.IsZero() {
			s.refused = time.Now()
		}
		if time.Since(s.refused) >= s.timing.Patience {
			return err
		}
	case failure != nil && failure.Temporary():
		s.refused = time.Time{}
		pause = failure.After
	default:
		return err
	}
	pause = max(pause, jittered(s.timing.Pause)-time.Since(began))
	if ended := sleep(ctx, pause); ended != nil {
		return given(ended, err)
	}
	return nil
}

// given says how the tries stood when they were ended.
func given(ended, last error) error {
	if last == nil {
		return ended
	}
	return fmt.Errorf("%w; until then: %w", ended, last)
}

// insist tries until it succeeds, as far as the rules of series allow.
func (c *Client) insist(ctx context.Context, try func() error) error {
	tries := series{timing: c.timing}
	for {
		began := time.Now()
		err := try()
		if err == nil {
			return nil
		}
		if err := tries.after(ctx, began, err); err != nil {
			return err
		}
	}
}
