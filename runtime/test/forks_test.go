package test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
)

// forksOf returns the helper that waits for the end of forks in namespaces.
func forksOf(namespaces ...string) step {
	return step{
		plan: contract.Plan{Step: "forks", Generation: "f1", Forks: namespaces}, output: "end", budget: "forks",
	}
}

// countPods sets the number of Pods of forks in a namespace, as the disruption controller does.
func countPods(server *Server, namespace string, count int) {
	status := object{"expectedPods": count, "observedGeneration": 1}
	server.ApplyJob(cluster.Ref{Kind: cluster.KindBudget, Namespace: namespace, Name: "forks"}, status)
}

// Delete steps start when the last Pod of the forks has ended, in all namespaces. What is not counted yet is not the end.
func TestForks_deleteStepsWaitForTheirEnd(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	waits := forksOf("shop", "tools")
	drops := step{
		plan: contract.Plan{
			Step: "drop", Generation: "d1", StartTimeoutSeconds: 30,
			Producers: []contract.Producer{{Step: "forks of the sandbox", Generation: "f1"}},
		},
		secrets: []string{"end"}, output: "drop", script: "#!/bin/sh\necho ran >> @/ran\n",
	}
	render(server, waits, drops)
	uncounted := cluster.Ref{Kind: cluster.KindBudget, Namespace: "shop", Name: "forks"}
	server.ApplyJob(uncounted, object{"expectedPods": 0, "observedGeneration": 0})
	countPods(server, "tools", 0)
	helper, p := newPod(t, server, waits), newPod(t, server, drops)
	running, started := helper.start(contract.HelperForks), p.start("inputs")
	require.Eventually(t, func() bool {
		return slices.ContainsFunc(server.Calls(), func(call Call) bool { return call.Object == uncounted })
	}, enough, time.Millisecond)
	time.Sleep(300 * time.Millisecond) // the time to take it for the end
	assert.Empty(t, server.Get(ref("end")).Annotation(contract.PublishedKey))
	countPods(server, "shop", 2)
	helper.waitForLog(`waiting until the sandbox's forks have ended: 2 Pods are left in namespace "shop"`)
	countPods(server, "shop", 1)
	helper.waitForLog(`1 Pod is left in namespace "shop"`)
	assert.Empty(t, server.Get(ref("end")).Annotation(contract.PublishedKey))
	countPods(server, "shop", 0)
	require.Zero(t, running.wait(), helper.log)
	require.Zero(t, started.wait(), p.log)
	assert.Equal(t, "f1", server.Get(ref("end")).Annotation(contract.PublishedKey))
	for _, call := range server.Calls() {
		if call.Object.Kind == cluster.KindBudget {
			assert.Contains(t, []string{"watch", "patch"}, call.Verb, "it needs no other permission")
		}
	}

	countPods(server, "shop", 1)
	require.Zero(t, newPod(t, server, waits).start(contract.HelperForks).wait(), "it has published")
}

// The wait is limited; what is left, and what to do, is the message, and the delete steps end.
func TestForks_waitIsLimited(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		count   int
		message string
	}{
		{3, `the sandbox's forks have not ended for 1s: 3 Pods are left in namespace "shop"; delete the forks and this Job, and apply again`},
		{-1, `the Pods of the sandbox's forks in namespace "shop" have not been counted for 1s: its PodDisruptionBudget must be applied`},
	} {
		server := newServer(t)
		waits := forksOf("shop")
		waits.plan.TimeoutSeconds = 1
		render(server, waits)
		if c.count >= 0 {
			countPods(server, "shop", c.count)
		}
		helper := newPod(t, server, waits)
		helper.timing.ApplyTimeout = enough
		require.Equal(t, 1, helper.start(contract.HelperForks).wait())
		assert.Contains(t, helper.message(), c.message)
		assert.Equal(t, "f1", server.Get(ref("end")).Annotation(contract.FailedKey))
	}
}

// If another PodDisruptionBudget selects the Pods of forks, too, Kubernetes counts again only for one of them when a Pod ends. So
// the helper has the Pods counted again from time to time.
func TestForks_countsAgain(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	render(server, forksOf("shop"))
	countPods(server, "shop", 1)
	helper := newPod(t, server, forksOf("shop"))
	helper.timing.Recount = 10 * time.Millisecond
	running := helper.start(contract.HelperForks)
	asked := func() int {
		count := 0
		for _, call := range server.Calls() {
			if call.Object.Kind == cluster.KindBudget && call.Verb == "patch" {
				count++
			}
		}
		return count
	}
	require.Eventually(t, func() bool { return asked() > 2 }, enough, time.Millisecond)
	countPods(server, "shop", 0)
	require.Zero(t, running.wait(), helper.log)
}

func TestForks_terminationIsNoFailure(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	render(server, forksOf("shop"))
	countPods(server, "shop", 1)
	helper := newPod(t, server, forksOf("shop"))
	running := helper.start(contract.HelperForks)
	helper.waitForLog("1 Pod is left")
	running.terminate()
	assert.Equal(t, 143, running.wait())
	assert.Empty(t, server.Get(ref("end")).Annotation(contract.FailedKey))
}

// A fork that starts after all create steps waits for a key without a value: in the Secret of a step, also if that was
// published before, and in its copy.
func TestCreated_keyOfSteps(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	plain := step{
		plan:   contract.Plan{Step: "plain", Generation: "p1", StartTimeoutSeconds: 30},
		output: "plain", script: "#!/bin/sh\necho ran >> @/ran\n",
	}
	render(server, plain)
	require.Equal(t, success, newPod(t, server, plain).play())
	key := contract.CreatedKey("p1")
	assert.NotContains(t, server.Get(ref("plain")).Data, key)
	plain.plan.Created = true
	again := newPod(t, server, plain)
	require.Equal(t, success, again.play(), again.log)
	assert.False(t, again.exists("ran"))
	assert.Equal(t, map[string][]byte{key: {}}, server.Get(ref("plain")).Data)

	target := cluster.Ref{Namespace: "apps", Name: "plain"}
	server.Apply(target, map[string]string{contract.GenerationKey: "p1"})
	copied := newPod(t, server, step{plan: contract.Plan{Step: "copy", Generation: "c1", Producers: []contract.Producer{{
		Step: "plain", Generation: "p1", Inputs: []contract.Input{{Workloads: true}}, Copies: []string{"apps"},
	}}}, secrets: []string{"plain"}})
	require.Zero(t, copied.start("copy").wait(), copied.log)
	assert.Equal(t, map[string][]byte{key: {}}, server.Get(target).Data)

	first := newServer(t)
	render(first, plain)
	p := newPod(t, first, plain)
	require.Equal(t, success, p.play(), p.log)
	assert.Equal(t, map[string][]byte{key: {}}, first.Get(ref("plain")).Data)
}
