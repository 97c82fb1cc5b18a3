package test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// drop is a delete step without outputs. It reads the outputs of provision and records only its generation.
func drop(script string) step {
	return step{
		plan: contract.Plan{
			Step: "drop", Generation: "d1", StartTimeoutSeconds: 30,
			Producers: []contract.Producer{{Step: "provision", Inputs: []contract.Input{{Output: "dsn", File: "dsn"}}}},
		},
		secrets: []string{"provision"}, output: "drop", script: "#!/bin/sh\necho ran >> @/ran\n" + script,
	}
}

// provisioned returns a cluster after the create phase, with the Secrets of the delete phase applied.
func provisioned(t *testing.T) *Server {
	t.Helper()
	server := newServer(t)
	render(server, provision())
	require.Equal(t, success, newPod(t, server, provision()).play())
	render(server, provision(), drop(""))
	return server
}

func TestStepWithoutOutputsIsRecordedAsPublished(t *testing.T) {
	t.Parallel()
	server := provisioned(t)
	p := newPod(t, server, drop("grep -q "+marker+" @/io/inputs/dsn"))
	require.Equal(t, success, p.play(), p.log)
	secret := server.Get(ref("drop"))
	assert.Equal(t, "d1", secret.Annotation(contract.PublishedKey))
	assert.Empty(t, secret.Data)
	requireSecrecy(t, p)

	again := newPod(t, server, drop(""))
	require.Equal(t, success, again.play(), again.log)
	assert.False(t, again.exists("ran"), "what was dropped is not dropped again")
}

func TestTeardownDeletesAllSecrets(t *testing.T) {
	t.Parallel()
	server := provisioned(t)
	end := newPod(t, server, removal())
	running := end.start("cleanup")
	p := newPod(t, server, drop("exit 0"))
	require.Equal(t, success, p.play(), p.log)
	require.Zero(t, running.wait(), end.log)
	for _, name := range []string{"provision", "drop"} {
		assert.Nil(t, server.Get(ref(name)), name)
	}
	requireSecrecy(t, end)
}

// A plugin without a delete phase has no steps to wait for. Missing Secrets are ignored.
func TestCleanupWithoutDeleteSteps(t *testing.T) {
	t.Parallel()
	server := provisioned(t)
	alone := step{plan: contract.Plan{
		Step: "cleanup", Generation: "r1", Producers: []contract.Producer{{Step: "provision"}},
	}, secrets: []string{"provision"}}
	for range 2 {
		end := newPod(t, server, alone)
		require.Zero(t, end.start("cleanup").wait(), end.log)
		assert.Nil(t, server.Get(ref("provision")))
	}
}

func TestFailedTeardownCanBeRepeated(t *testing.T) {
	t.Parallel()
	server := provisioned(t)
	failing := newPod(t, server, drop("exit 3"))
	require.Equal(t, ending{0, 3, 1}, failing.play(), failing.log)
	end := newPod(t, server, removal())
	require.Equal(t, 1, end.start("cleanup").wait())
	assert.Contains(t, end.message(), "no Secret was deleted, so that the delete phase can run again")
	assert.Contains(t, end.message(), `step "drop" failed`)
	requirePublished(t, server, "provision", "g1", "dsn")

	again := newPod(t, server, drop("exit 0"))
	require.Equal(t, success, again.play(), again.log)
	end = newPod(t, server, removal())
	require.Zero(t, end.start("cleanup").wait(), end.log)
	assert.Nil(t, server.Get(ref("provision")))
}

// If a delete phase is applied again after it has ended, its steps wait for outputs that no step publishes until the Pod's
// deadline, and run nothing.
func TestRepeatedTeardownRunsNothing(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	render(server, provision(), drop(""))
	p, end := newPod(t, server, drop("")), newPod(t, server, removal())
	steps, removes := p.start("inputs"), end.start("cleanup")
	p.waitForLog("waiting for step")
	end.waitForLog("waiting for step")
	steps.terminate()
	removes.terminate()
	assert.Equal(t, 143, steps.wait())
	assert.Equal(t, 143, removes.wait())
	assert.False(t, p.exists("ran"))
	assert.Empty(t, server.Get(ref("drop")).Annotation(contract.FailedKey))
}

// A create step that has failed or was removed has published nothing, and never will.
func TestDeleteStepOfAHalfCreatedResource(t *testing.T) {
	t.Parallel()
	const advice = `step "provision" of the create phase never published "dsn", which this step reads: run the create phase ` +
		"again, or give this step up with the annotation resourceplugins.dev/skip-delete of the sandbox's document"
	server := newServer(t)
	render(server, provision(), drop(""))
	server.Apply(ref("provision"), map[string]string{contract.FailedKey: "g1"})
	failed := newPod(t, server, drop(""))
	require.Equal(t, ending{1, -1, -1}, failed.play(), failed.log)
	assert.Contains(t, failed.message(), advice)
	assert.NotContains(t, failed.message(), "see its Job")
	requireFailed(t, failed)

	server = newServer(t)
	render(server, provision(), drop(""))
	s := drop("")
	s.plan.WaitSeconds = 1
	waiting := newPod(t, server, s)
	require.Equal(t, ending{contract.ExitWaited, -1, -1}, waiting.play(), waiting.log)
	assert.Contains(t, waiting.message(), "not a failure yet: ")
	assert.Contains(t, waiting.message(), advice)
	assert.Empty(t, server.Get(ref("drop")).Annotation(contract.FailedKey))
}
