package test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// stamped ends a watch when the annotation is set.
func stamped(s *cluster.Secret) (bool, error) { return s != nil && s.Annotation("stamp") == "1", nil }

func TestWatchAsksForOneSecretByName(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	server.Apply(db, map[string]string{"stamp": "1"})
	require.NoError(t, connectPatiently(t, server).Watch(within(t, enough), db, stamped))
	calls := server.Calls()
	require.Len(t, calls, 1)
	assert.Equal(t, "watch", calls[0].Verb)
	assert.Contains(t, calls[0].Query, "fieldSelector=metadata.name%3Ddb")
	assert.Contains(t, calls[0].Query, "resourceVersion=0")
	assert.Contains(t, calls[0].Query, "timeoutSeconds=")
}

func TestWatchReportsEveryChange(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	seen := make(chan string, 10)
	ended := make(chan error, 1)
	client := connectPatiently(t, server)
	ctx := within(t, enough)
	go func() {
		ended <- client.Watch(ctx, db, func(s *cluster.Secret) (bool, error) {
			if s == nil {
				seen <- "gone"
				return false, nil
			}
			seen <- s.Annotation("stamp")
			return s.Annotation("stamp") == "2", nil
		})
	}()
	require.Eventually(t, func() bool { return len(server.Calls()) == 1 }, enough, time.Millisecond)
	server.Apply(db, nil)
	assert.Empty(t, <-seen)
	server.Apply(db, map[string]string{"stamp": "1"})
	assert.Equal(t, "1", <-seen)
	server.Remove(db)
	assert.Equal(t, "gone", <-seen)
	server.Apply(db, map[string]string{"stamp": "2"})
	assert.Equal(t, "2", <-seen)
	require.NoError(t, <-ended)
}

func TestWatchRetriesTemporaryFailures(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]Fault{
		"410 in the stream": InStream(410, marker), "500 in the stream": InStream(500, marker),
		"410": Status(410, marker), "429": Status(429, marker), "504": Status(504, marker),
		"early 403": Status(403, marker), "cut": Cut, "cut within": CutWithin(`{"type":"ADD`),
		"ended at once": Body(""), "hang": Hang(""), "hang within": Hang(`{"type":"AD`),
		"garbage": Garbage(marker), "not JSON": Body(marker), "unknown event": Body(`{"type":"X"}`),
		"bookmark": Body(`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"7"}}}`),
		"endless":  Body(`{"type":"ADDED","object":{"x":"` + strings.Repeat("x", 5<<20) + `"}}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newServer(t)
			server.Apply(db, map[string]string{"stamp": "1"})
			server.Inject(atFirst("watch", 2, fault))
			require.NoError(t, connect(t, server).Watch(within(t, enough), db, stamped))
			assert.GreaterOrEqual(t, len(server.Calls()), 3)
		})
	}
}

// A watch that ends immediately must not be repeated immediately.
func TestWatchDoesNotSpin(t *testing.T) {
	t.Parallel()
	const pause = 100 * time.Millisecond
	server := newServer(t)
	server.Inject(func(Call) Fault { return InStream(410, "") })
	client := connectWith(t, server, cluster.Timing{Connect: enough, Request: enough, Interval: pause})
	ctx, stop := context.WithCancel(within(t, enough))
	ended := make(chan error, 1)
	began := time.Now()
	go func() { ended <- client.Watch(ctx, db, stamped) }()
	require.Eventually(t, func() bool { return len(server.Calls()) >= 5 }, enough, pause)
	calls := len(server.Calls())
	assert.LessOrEqual(t, calls, int(time.Since(began)/(pause*3/4))+1)
	stop()
	require.Error(t, <-ended)
}

func TestWatchEndsWithAnErrorOfChanged(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	server.Apply(db, nil)
	full := errors.New("full")
	err := connect(t, server).Watch(within(t, enough), db, func(*cluster.Secret) (bool, error) {
		return false, full
	})
	require.ErrorIs(t, err, full)
}

func TestDeniedWatch(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	server.Deny("watch", db)
	err := connect(t, server).Watch(within(t, enough), db, stamped)
	require.ErrorContains(t, err, `a Role must grant the Pod's ServiceAccount "watch" on it`)
	assert.Greater(t, len(server.Calls()), 1, "the Role may be applied after the Job")
}

// Changes are reported although the server is stopped, restarted and frozen at random times.
func TestWatchThroughRestartsAndFreezes(t *testing.T) {
	t.Parallel()
	for i := range uint64(12) {
		t.Run(strconv.FormatUint(i, 10), func(t *testing.T) {
			t.Parallel()
			random := checkout.RandomStream(t, i)
			server := newServer(t)
			ended := make(chan error, 1)
			client := connect(t, server)
			ctx := within(t, enough)
			go func() { ended <- client.Watch(ctx, db, stamped) }()
			for range 3 {
				time.Sleep(time.Duration(random.IntN(30)) * time.Millisecond)
				if random.IntN(2) == 0 {
					up := server.Down()
					server.Apply(db, map[string]string{"stamp": "0"})
					time.Sleep(time.Duration(random.IntN(30)) * time.Millisecond)
					up()
				} else {
					server.Freeze()
					time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond)
					server.Unfreeze()
				}
			}
			server.Apply(db, map[string]string{"stamp": "1"})
			require.NoError(t, <-ended)
		})
	}
}
