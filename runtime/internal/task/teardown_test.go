package task_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/fakeapi"
)

// drop is a delete step without outputs: it reads what provision published and publishes its stamp alone.
func drop(script string) step {
	return step{
		plan: contract.Plan{
			Step: "drop", Generation: "d1", StartTimeoutSeconds: 30,
			Producers: []contract.Producer{{Step: "provision", Inputs: []contract.Input{{Output: "dsn", File: "dsn"}}}},
		},
		secrets: []string{"provision"}, output: "drop", script: "#!/bin/sh\necho ran >> @/ran\n" + script,
	}
}

// provisioned is a cluster in which the create phase has run, with the Secrets of the delete phase applied.
func provisioned(t *testing.T) *fakeapi.Server {
	t.Helper()
	server := fakeapi.New(t)
	render(server, provision())
	require.Equal(t, success, newPod(t, server, provision()).play())
	render(server, provision(), drop(""))
	return server
}

func TestAStepWithoutOutputsPublishesItsStamp(t *testing.T) {
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

func TestTeardownLeavesNothing(t *testing.T) {
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

// A plugin without a delete phase has nothing to wait for, and what is gone is no fault.
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

func TestAFailedTeardownCanBeTriedAgain(t *testing.T) {
	t.Parallel()
	server := provisioned(t)
	failing := newPod(t, server, drop("exit 3"))
	require.Equal(t, ending{0, 3, 1}, failing.play(), failing.log)
	end := newPod(t, server, removal())
	require.Equal(t, 1, end.start("cleanup").wait())
	assert.Contains(t, end.message(), "no Secret is removed, so that the delete phase can run again")
	assert.Contains(t, end.message(), `step "drop" failed`)
	requirePublished(t, server, "provision", "g1", "dsn")

	again := newPod(t, server, drop("exit 0"))
	require.Equal(t, success, again.play(), again.log)
	end = newPod(t, server, removal())
	require.Zero(t, end.start("cleanup").wait(), end.log)
	assert.Nil(t, server.Get(ref("provision")))
}

// A delete phase that is applied once more after its end finds empty Secrets: its steps wait for outputs that nobody
// publishes any more, run nothing, and end with the Pod's deadline.
func TestATeardownAfterTheEndRunsNothing(t *testing.T) {
	t.Parallel()
	server := fakeapi.New(t)
	render(server, provision(), drop(""))
	p, end := newPod(t, server, drop("")), newPod(t, server, removal())
	steps, removes := p.start("inputs"), end.start("cleanup")
	p.says("waiting for step")
	end.says("waiting for step")
	steps.terminate()
	removes.terminate()
	assert.Equal(t, 143, steps.wait())
	assert.Equal(t, 143, removes.wait())
	assert.False(t, p.exists("ran"))
	assert.Empty(t, server.Get(ref("drop")).Annotation(contract.FailedKey))
}
