package cluster

import (
	"cmp"
	"context"
	"math/rand/v2"
	"time"
)

// Timing has the client's timeouts and intervals. A zero field means its default.
type Timing struct {
	// Connect limits dialing and the TLS handshake, each. Default 10 s.
	Connect time.Duration
	// Request limits a patch or delete, and the time until a watch's first byte. Default 45 s: long enough for an API
	// server that restarts.
	Request time.Duration
	// Watch is the duration of one watch request; then it is repeated. Default 60 s.
	Watch time.Duration
	// Interval is the time between the starts of two attempts, plus or minus a quarter. Default 1 s.
	Interval time.Duration
	// ApplyTimeout is the time during which status 401, 403 and 404 are retried, since Roles and Secrets may be applied
	// after the Job. Default 60 s.
	ApplyTimeout time.Duration
	// Recount is the time between two counts of CountPods, plus or minus a quarter. Default 5 s.
	Recount time.Duration
}

func (t Timing) orDefaults() Timing {
	return Timing{
		Connect:      cmp.Or(t.Connect, 10*time.Second),
		Request:      cmp.Or(t.Request, 45*time.Second),
		Watch:        cmp.Or(t.Watch, 60*time.Second),
		Interval:     cmp.Or(t.Interval, time.Second),
		ApplyTimeout: cmp.Or(t.ApplyTimeout, 60*time.Second),
		Recount:      cmp.Or(t.Recount, 5*time.Second),
	}
}

// jitter returns d plus or minus up to a quarter, so that many Pods do not send requests at the same time.
func jitter(d time.Duration) time.Duration {
	return d*3/4 + rand.N(d/2+1)
}

// sleep waits for d, or returns the cause of the context's end.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
