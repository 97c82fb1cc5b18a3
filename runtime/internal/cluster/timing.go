package cluster

import (
	"context"
	"math/rand/v2"
	"time"
)

// Timing is how long the client waits for what. A zero field means its default.
type Timing struct {
	// Connect bounds dialing and the TLS handshake, each. Default 10 s.
	Connect time.Duration
	// Request bounds a whole patch or removal, and the wait for a watch's first byte. Default 45 s: an API server that
	// is shut down or frozen for a moment is outlived, one that hangs is left.
	Request time.Duration
	// Watch is how long one watch may last before it is renewed. Default 60 s.
	Watch time.Duration
	// Pause is the time between the beginnings of two tries, give or take a quarter. Default 1 s.
	Pause time.Duration
	// Patience is how long the answers 401, 403 and 404 are taken for objects that are still being applied. Default 60 s.
	Patience time.Duration
}

func (t Timing) orDefaults() Timing {
	for _, field := range []struct {
		value    *time.Duration
		standard time.Duration
	}{
		{&t.Connect, 10 * time.Second},
		{&t.Request, 45 * time.Second},
		{&t.Watch, 60 * time.Second},
		{&t.Pause, time.Second},
		{&t.Patience, 60 * time.Second},
	} {
		if *field.value == 0 {
			*field.value = field.standard
		}
	}
	return t
}

// jittered is a duration up to a quarter shorter or longer than d, so that a hundred Pods do not knock at once.
func jittered(d time.Duration) time.Duration {
	return d*3/4 + rand.N(d/2+1)
}

// sleep waits for d, or returns why the context ended.
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
