package test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
	"github.com/resource-plugins/krm-functions/runtime/internal/wait"
)

const grace = time.Second

func waiting(t *testing.T, server *Server, grace time.Duration) wait.Wait {
	t.Helper()
	config := server.Config()
	config.Timing = cluster.Timing{Request: 20 * time.Second, Interval: 4 * time.Millisecond, ApplyTimeout: 150 * time.Millisecond}
	client, err := cluster.New(config)
	require.NoError(t, err)
	return wait.Wait{Client: client, FailureGrace: grace, Log: func(string) {}}
}

func producer(name, generation string, outputs ...string) wait.Producer {
	p := wait.Producer{Secret: cluster.Ref{Namespace: "ns", Name: name}}
	p.Step, p.Generation = name, generation
	for _, output := range outputs {
		p.Inputs = append(p.Inputs, contract.Input{Output: output})
	}
	return p
}

func nothing(int, *cluster.Secret) error { return nil }

// begin starts a wait and returns when all its watches have started.
func begin(t *testing.T, server *Server, producers ...wait.Producer) chan error {
	t.Helper()
	return beginWith(t, server, grace, producers...)
}

func beginWith(t *testing.T, server *Server, grace time.Duration, producers ...wait.Producer) chan error {
	t.Helper()
	ended := make(chan error, 1)
	w := waiting(t, server, grace)
	ctx, stop := context.WithTimeout(t.Context(), enough)
	t.Cleanup(stop)
	before := len(server.Calls())
	go func() { ended <- w.All(ctx, producers, nothing) }()
	require.Eventually(t, func() bool { return len(server.Calls()) >= before+len(producers) }, enough, time.Millisecond)
	time.Sleep(10 * time.Millisecond)
	return ended
}

func requireWaiting(t *testing.T, ended chan error) {
	t.Helper()
	select {
	case err := <-ended:
		t.Fatalf("it did not wait: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
}

func TestStates(t *testing.T) {
	t.Parallel()
	type stamps = map[string]string
	for name, test := range map[string]struct {
		generation  string
		annotations stamps
		ready, fail bool
	}{
		"no stamp":                        {"g1", nil, false, false},
		"its stamp":                       {"g1", stamps{contract.PublishedKey: "g1"}, true, false},
		"an older stamp":                  {"g1", stamps{contract.PublishedKey: "g0"}, false, false},
		"any stamp":                       {"", stamps{contract.PublishedKey: "g0"}, true, false},
		"no stamp where any will do":      {"", nil, false, false},
		"its failure":                     {"g1", stamps{contract.FailedKey: "g1"}, false, true},
		"an older failure":                {"g1", stamps{contract.FailedKey: "g0"}, false, false},
		"any failure":                     {"", stamps{contract.FailedKey: "g0"}, false, true},
		"published, then failed":          {"g1", stamps{contract.PublishedKey: "g1", contract.FailedKey: "g1"}, true, false},
		"older published, failed":         {"g1", stamps{contract.PublishedKey: "g0", contract.FailedKey: "g1"}, false, true},
		"older published, failed, any":    {"", stamps{contract.PublishedKey: "g0", contract.FailedKey: "g1"}, true, false},
		"failures that are not the last":  {"g1", stamps{contract.FailuresKey: "g1 2"}, false, false},
		"what the render says is wanted":  {"g1", stamps{contract.GenerationKey: "g1"}, false, false},
		"a stamp that begins like its":    {"g1", stamps{contract.PublishedKey: "g10"}, false, false},
		"an empty stamp where any may do": {"", stamps{contract.PublishedKey: ""}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newServer(t)
			one := producer("db", test.generation)
			ended := begin(t, server, one)
			server.Apply(one.Secret, nil)
			requireWaiting(t, ended)
			server.Apply(one.Secret, test.annotations)
			switch {
			case test.ready:
				require.NoError(t, <-ended)
			case test.fail:
				var failed *wait.Failed
				require.ErrorAs(t, <-ended, &failed)
				assert.Equal(t, "db", failed.Step)
			default:
				requireWaiting(t, ended)
			}
		})
	}
}

func TestWaitsForAllProducers(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	a, b := producer("a", "g1"), producer("b", "g2")
	server.Apply(a.Secret, map[string]string{contract.PublishedKey: "g1"})
	ended := begin(t, server, a, b)
	requireWaiting(t, ended)
	server.Apply(b.Secret, map[string]string{contract.PublishedKey: "g2"})
	require.NoError(t, <-ended)
}

func TestNoProducers(t *testing.T) {
	t.Parallel()
	require.NoError(t, wait.Wait{}.All(t.Context(), nil, nothing))
}

func TestFailureDuringTheWaitEndsIt(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	a, b := producer("a", "g1"), producer("b", "g1")
	server.Apply(a.Secret, nil)
	ended := beginWith(t, server, enough, a, b)
	began := time.Now()
	server.Apply(a.Secret, map[string]string{contract.FailedKey: "g1"})
	require.ErrorContains(t, <-ended, `step "a" failed`)
	assert.Less(t, time.Since(began), enough)
}

func TestANewerRenderEndsTheWait(t *testing.T) {
	t.Parallel()
	server, one := newServer(t), producer("db", "g1")
	server.Apply(one.Secret, map[string]string{contract.GenerationKey: "g1"})
	ended := beginWith(t, server, enough, one)
	requireWaiting(t, ended)
	server.Apply(one.Secret, map[string]string{contract.GenerationKey: "g2"})
	require.ErrorContains(t, <-ended, `a newer render replaced step "db": secret "db" is no longer for its generation g1`)
}

// A Secret may be applied after the Pod, so a Secret of an older render ends the wait only after some time.
func TestAnOlderSecretIsGivenTime(t *testing.T) {
	t.Parallel()
	server, one := newServer(t), producer("db", "g1")
	server.Apply(one.Secret, map[string]string{contract.GenerationKey: "g0", contract.PublishedKey: "g0"})
	w := waiting(t, server, grace)
	w.ApplyTimeout = time.Second
	began := time.Now()
	require.ErrorContains(t, w.All(t.Context(), []wait.Producer{one}, nothing), "a newer render replaced step")
	assert.GreaterOrEqual(t, time.Since(began), w.ApplyTimeout)

	ended := beginWith(t, server, grace, one) // the default is a minute
	server.Apply(one.Secret, map[string]string{contract.GenerationKey: "g1"})
	requireWaiting(t, ended)
	server.Apply(one.Secret, map[string]string{contract.PublishedKey: "g1"})
	require.NoError(t, <-ended)
}

// A producer that has ended publishes no more, so the wait ends after the API server has had time to show its outputs.
func TestAnEndedProducerIsGivenTime(t *testing.T) {
	t.Parallel()
	for name, secret := range map[string]map[string]string{
		"nothing published": {contract.GenerationKey: "g1"},
		"no Secret":         nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, one := newServer(t), producer("db", "g1")
			one.Ended = true
			if secret != nil {
				server.Apply(one.Secret, secret)
			}
			w := waiting(t, server, grace)
			w.ApplyTimeout = time.Second
			began := time.Now()
			var missing *wait.NotPublished
			require.ErrorAs(t, w.All(t.Context(), []wait.Producer{one}, nothing), &missing)
			assert.GreaterOrEqual(t, time.Since(began), w.ApplyTimeout)
			assert.EqualError(t, missing, `step "db" has ended, but secret "db" does not have its outputs: `+
				`delete the workload of this Pod and apply again`)
		})
	}

	server, one := newServer(t), producer("db", "g1")
	one.Ended = true
	ended := beginWith(t, server, grace, one) // the default is a minute
	requireWaiting(t, ended)
	server.Apply(one.Secret, map[string]string{contract.PublishedKey: "g1"})
	require.NoError(t, <-ended)
}

// A producer that runs again removes its failure, so a consumer that started shortly before must not stop.
func TestFailureFromBeforeTheWait(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	one := producer("db", "g1")
	server.Apply(one.Secret, map[string]string{contract.FailedKey: "g1"})
	began := time.Now()
	require.ErrorContains(t, <-begin(t, server, one), `step "db" failed`)
	assert.GreaterOrEqual(t, time.Since(began), grace)

	ended, grace := failureRemoved(t, server, one)
	time.Sleep(2 * grace)
	requireWaiting(t, ended)
	server.Apply(one.Secret, map[string]string{contract.FailedKey: "g1"})
	require.ErrorContains(t, <-ended, `step "db" failed`)
}

// failureRemoved starts a wait for a failed producer whose failure is removed within the grace period. It tries again with a
// longer period if the machine is too slow.
func failureRemoved(t *testing.T, server *Server, one wait.Producer) (ended chan error, grace time.Duration) {
	t.Helper()
	for grace = time.Second; ; grace *= 2 {
		server.Apply(one.Secret, map[string]string{contract.FailedKey: "g1"})
		began := time.Now()
		ended = beginWith(t, server, grace, one)
		server.Apply(one.Secret, map[string]string{contract.FailedKey: "g1", "changed": "by others"})
		server.Apply(one.Secret, map[string]string{contract.FailedKey: ""})
		if time.Since(began) < grace*3/4 {
			return ended, grace
		}
	}
}

func TestWaitsForADeletedSecret(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	one := producer("db", "g1")
	server.Apply(one.Secret, nil)
	ended := begin(t, server, one)
	server.Remove(one.Secret)
	requireWaiting(t, ended)
	server.Apply(one.Secret, map[string]string{contract.PublishedKey: "g1"})
	require.NoError(t, <-ended)
}

func TestPublishedWithoutTheKey(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	one := producer("db", "g1", "dsn")
	server.Apply(one.Secret, map[string]string{contract.PublishedKey: "g1"})
	require.ErrorContains(t, <-begin(t, server, one), `has no key "dsn"`)
}

func TestErrorOfOnPublishedEndsTheWait(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	one, other := producer("db", "g1"), producer("other", "g1")
	server.Apply(one.Secret, map[string]string{contract.PublishedKey: "g1"})
	full := errors.New("disk full")
	err := waiting(t, server, grace).All(t.Context(), []wait.Producer{one, other}, func(i int, _ *cluster.Secret) error {
		assert.Zero(t, i)
		return full
	})
	require.ErrorIs(t, err, full)
}

func TestDeniedWatchIsReported(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	one := producer("db", "g1")
	server.Deny("watch", one.Secret)
	err := waiting(t, server, grace).All(t.Context(), []wait.Producer{one}, nothing)
	require.ErrorContains(t, err, "a Role must grant")
	assert.NotContains(t, err.Error(), "\n")
}
