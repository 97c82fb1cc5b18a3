package test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
	"github.com/resource-plugins/krm-functions/runtime/internal/wait"
)

var (
	running     = object{"ready": 1}
	failedJob   = object{"conditions": []object{{"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded", "message": "no more"}}}
	completeJob = object{"conditions": []object{{"type": "Complete", "status": "True"}}}
)

// withJob returns a producer whose Job is known.
func withJob() wait.Producer {
	p := producer("db", "g1")
	p.Job = cluster.Ref{Kind: cluster.KindJob, Namespace: "ns", Name: "db-job"}
	return p
}

// beginLimited starts a wait with a limit and returns when its watches have started, or when the limit ended it before that.
func beginLimited(t *testing.T, server *Server, limit time.Duration, one wait.Producer) chan error {
	t.Helper()
	ended := make(chan error, 1)
	w := waiting(t, server, grace)
	w.Limit = limit
	before := len(server.Calls())
	go func() { ended <- w.All(within(t, enough), []wait.Producer{one}, nothing) }()
	require.Eventually(t, func() bool { return len(server.Calls()) >= before+2 || len(ended) > 0 }, enough, time.Millisecond)
	time.Sleep(10 * time.Millisecond)
	return ended
}

func TestAnEndedJobEndsTheWait(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status object
		text   string
	}{
		"failed":   {failedJob, `job "db-job" is failed (BackoffLimitExceeded: no more), and secret "db" does not have them`},
		"complete": {completeJob, `job "db-job" is complete, and secret "db" does not have them`},
	} {
		for when, begins := range map[string]object{"before": test.status, "during": running} {
			t.Run(name+" "+when, func(t *testing.T) {
				t.Parallel()
				server, one := newServer(t), withJob()
				server.Apply(one.Secret, nil)
				server.ApplyJob(one.Job, begins)
				ended := beginLimited(t, server, 0, one)
				server.ApplyJob(one.Job, test.status)
				var failure *wait.Ended
				err := <-ended
				require.ErrorAs(t, err, &failure)
				require.ErrorContains(t, err, `step "db" will not publish`)
				require.ErrorContains(t, err, test.text)
			})
		}
	}
}

// On a busy API server the Job may be seen before the failure in the Secret.
func TestARecordedFailureIsTheReasonOfAnEndedJob(t *testing.T) {
	t.Parallel()
	for grace := grace; ; grace *= 2 { // longer if the machine is too slow to record the failure in time
		server, one := newServer(t), withJob()
		server.ApplyJob(one.Job, failedJob)
		began := time.Now()
		ended := beginWith(t, server, grace, one)
		server.Apply(one.Secret, map[string]string{contract.FailedKey: "g1"})
		if time.Since(began) > grace/2 {
			continue
		}
		var failure *wait.Failed
		require.ErrorAs(t, <-ended, &failure)
		return
	}
}

func TestAnEndedJobThatIsReplacedDoesNotEndTheWait(t *testing.T) {
	t.Parallel()
	for name, replace := range map[string]func(*Server, wait.Producer){
		"deleted":    func(s *Server, one wait.Producer) { s.Remove(one.Job) },
		"runs again": func(s *Server, one wait.Producer) { s.ApplyJob(one.Job, running) },
		"is published": func(s *Server, one wait.Producer) {
			s.Apply(one.Secret, map[string]string{contract.PublishedKey: "g1"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for grace := grace; ; grace *= 2 { // longer if the machine is too slow to replace the Job in time
				server, one := newServer(t), withJob()
				server.Apply(one.Secret, nil)
				server.ApplyJob(one.Job, failedJob)
				began := time.Now()
				ended := beginWith(t, server, grace, one)
				replace(server, one)
				if time.Since(began) > grace/2 {
					continue
				}
				time.Sleep(2 * grace)
				server.Apply(one.Secret, map[string]string{contract.PublishedKey: "g1"})
				require.NoError(t, <-ended)
				return
			}
		})
	}
}

func TestThePodMakesRoomForAProducerThatDoesNotRun(t *testing.T) {
	t.Parallel()
	const limit = 300 * time.Millisecond
	for name, prepare := range map[string]func(*Server, wait.Producer){
		"no Job":                 func(*Server, wait.Producer) {},
		"no running Pod":         func(s *Server, one wait.Producer) { s.ApplyJob(one.Job, object{"active": 1}) },
		"unreadable":             func(s *Server, one wait.Producer) { s.ApplyJob(one.Job, object{"ready": "many"}) },
		"not to be watched":      func(s *Server, one wait.Producer) { s.Deny("watch", one.Job) },
		"a Job without a status": func(s *Server, one wait.Producer) { s.ApplyJob(one.Job, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, one := newServer(t), withJob()
			server.Apply(one.Secret, nil)
			prepare(server, one)
			var notRunning *wait.NotRunning
			err := <-beginLimited(t, server, limit, one)
			require.ErrorAs(t, err, &notRunning)
			require.ErrorContains(t, err, `not a failure: step "db" has no running Pod`)
		})
	}
}

// A Job that cannot create a Pod waits for a place in a quota, and a Job whose Pod does not start for a place on a node. The
// waiting Pod uses that place.
func TestTheLimitIsShorterForAJobThatNeedsThePlace(t *testing.T) {
	t.Parallel()
	const limit = time.Minute
	for name, status := range map[string]object{
		"no Pod":                  {"active": 0, "startTime": time.Now().Format(time.RFC3339)},
		"a Pod that never starts": {"active": 1, "startTime": time.Now().Add(-2 * limit).Format(time.RFC3339)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, one := newServer(t), withJob()
			server.Apply(one.Secret, nil)
			server.ApplyJob(one.Job, object{"active": 1})
			ended := beginLimited(t, server, limit, one)
			began := time.Now()
			server.ApplyJob(one.Job, status)
			status["terminating"] = 0
			server.ApplyJob(one.Job, status) // does not restart the limit
			var notRunning *wait.NotRunning
			require.ErrorAs(t, <-ended, &notRunning)
			assert.Less(t, time.Since(began), limit/2)
		})
	}
}

// A Pod that waits for a waiting Pod keeps its place while the Job that the latter waits for is running.
func TestTheLimitIsPausedWhileAnAncestorRuns(t *testing.T) {
	t.Parallel()
	const limit = 2 * time.Second
	server, one := newServer(t), withJob()
	ancestor := cluster.Ref{Kind: cluster.KindJob, Namespace: "ns", Name: "ancestor"}
	server.Apply(one.Secret, nil)
	server.ApplyJob(ancestor, running)
	server.ApplyJob(one.Job, object{"active": 1})
	ended := make(chan error, 1)
	w := waiting(t, server, grace)
	w.Limit, w.Ancestors = limit, []cluster.Ref{ancestor}
	go func() { ended <- w.All(within(t, enough), []wait.Producer{one}, nothing) }()
	time.Sleep(limit + limit/2)
	requireWaiting(t, ended)
	server.ApplyJob(ancestor, completeJob)
	var notRunning *wait.NotRunning
	require.ErrorAs(t, <-ended, &notRunning, "the producer should have started")
}

// A producer that has published does not extend the wait for another one that does not start.
func TestAPublishedProducerDoesNotPauseTheLimit(t *testing.T) {
	t.Parallel()
	server, one := newServer(t), withJob()
	other := producer("other", "g1")
	other.Job = cluster.Ref{Kind: cluster.KindJob, Namespace: "ns", Name: "other-job"}
	server.Apply(one.Secret, nil)
	server.Apply(other.Secret, nil)
	server.ApplyJob(one.Job, running)
	server.ApplyJob(other.Job, object{"active": 1})
	ended := make(chan error, 1)
	w := waiting(t, server, grace)
	w.Limit = 2 * time.Second
	go func() { ended <- w.All(within(t, enough), []wait.Producer{one, other}, nothing) }()
	time.Sleep(w.Limit + w.Limit/2)
	requireWaiting(t, ended)
	server.Apply(one.Secret, map[string]string{contract.PublishedKey: "g1"})
	var notRunning *wait.NotRunning
	require.ErrorAs(t, <-ended, &notRunning)
	assert.Equal(t, "other", notRunning.Step)
}

// A running producer will end, so its consumer keeps its place and can start at once.
func TestTheLimitIsPausedWhileTheProducerRuns(t *testing.T) {
	t.Parallel()
	const limit = 2 * time.Second
	server, one := newServer(t), withJob()
	server.Apply(one.Secret, nil)
	server.ApplyJob(one.Job, running)
	ended := beginLimited(t, server, limit, one)
	time.Sleep(limit + limit/2)
	requireWaiting(t, ended)
	server.ApplyJob(one.Job, object{"active": 1})
	stopped := time.Now()
	var notRunning *wait.NotRunning
	require.ErrorAs(t, <-ended, &notRunning)
	assert.GreaterOrEqual(t, time.Since(stopped), limit-50*time.Millisecond, "the limit starts again")
}

func TestAWaitThatMakesRoomIsNoFailure(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		step    step
		command string
	}{
		"inputs":  {seed(), contract.HelperInputs},
		"copy":    {copies(), contract.HelperCopy},
		"cleanup": {removal(), contract.HelperCleanup},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newServer(t)
			render(server, provision(), seed())
			test.step.plan.WaitSeconds = 1
			p := newPod(t, server, test.step)
			require.Equal(t, contract.ExitWaited, p.start(test.command).wait(), p.log)
			assert.Contains(t, p.message(), "not a failure: step")
			assert.Empty(t, server.Get(ref("seed")).Annotation(contract.FailedKey))
			assert.Empty(t, server.Get(ref("seed")).Annotation(contract.FailuresKey))
		})
	}
}

// A Pod reads the name of its producer's Job from an annotation, which kustomize may change.
func TestAConsumerEndsWithTheJobOfItsProducer(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	render(server, provision(), seed())
	server.ApplyJob(cluster.Ref{Kind: cluster.KindJob, Namespace: "ns", Name: "provision-job"}, failedJob)
	consumer := seed()
	consumer.jobs = []string{"provision-job"}
	p := newPod(t, server, consumer)
	require.Equal(t, 1, p.start(contract.HelperInputs).wait(), p.log)
	assert.Contains(t, p.message(), `job "provision-job" is failed (BackoffLimitExceeded: no more)`)
	assert.Equal(t, "g2", server.Get(ref("seed")).Annotation(contract.FailedKey), "its own consumers stop, too")
}
