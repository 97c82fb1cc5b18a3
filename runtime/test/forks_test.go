package test

import (
	"sync"
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

// disruption is a controller that counts the Pods of forks when the spec of a PodDisruptionBudget has changed, and never when a
// Pod starts or ends.
type disruption struct {
	server *Server
	mu     sync.Mutex
	pods   map[string]int // by namespace
}

// countForks creates PodDisruptionBudgets in the namespaces, in which an earlier count has found no Pods, and counts again until
// the end of the test.
func countForks(t *testing.T, server *Server, pods map[string]int) *disruption {
	t.Helper()
	d := &disruption{server: server, pods: pods}
	for namespace := range pods {
		server.Put(budgetIn(namespace), object{"metadata": object{"generation": 1.0}, "status": object{"observedGeneration": 1.0, "expectedPods": 0.0}})
	}
	go func() {
		for t.Context().Err() == nil {
			time.Sleep(time.Millisecond)
			d.count()
		}
	}()
	return d
}

func budgetIn(namespace string) cluster.Ref {
	return cluster.Ref{Kind: cluster.KindBudget, Namespace: namespace, Name: "forks"}
}

func (d *disruption) set(count int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pods["shop"] = count
}

func (d *disruption) count() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.server.mu.Lock()
	defer d.server.mu.Unlock()
	for namespace, count := range d.pods {
		current, exists := d.server.state.objects[budgetIn(namespace)]
		if !exists {
			continue
		}
		generation := current["metadata"].(object)["generation"]
		if status := (object{"observedGeneration": generation, "expectedPods": float64(count)}); current["status"].(object)["observedGeneration"] != generation {
			d.server.state.store(budgetIn(namespace), merge(current, object{"metadata": object{}, "status": status}))
		}
	}
}

// Delete steps start when the last Pod of the forks has ended, in all namespaces, even if an earlier count has found none.
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
	pods := countForks(t, server, map[string]int{"shop": 2, "tools": 0})
	helper, p := newPod(t, server, waits), newPod(t, server, drops)
	helper.timing.Recount = 5 * time.Millisecond
	running, started := helper.start(contract.HelperForks), p.start("inputs")
	helper.waitForLog(`waiting until the sandbox's forks have ended: 2 Pods are left in namespace "shop"`)
	pods.set(1)
	helper.waitForLog(`1 Pod is left in namespace "shop"`)
	assert.Empty(t, server.Get(ref("end")).Annotation(contract.PublishedKey))
	pods.set(0)
	require.Zero(t, running.wait(), helper.log)
	require.Zero(t, started.wait(), p.log)
	assert.Equal(t, "f1", server.Get(ref("end")).Annotation(contract.PublishedKey))
	for _, call := range server.Calls() {
		if call.Object.Kind == cluster.KindBudget {
			assert.Equal(t, "patch", call.Verb, "it needs no other permission")
		}
	}

	pods.set(1)
	require.Zero(t, newPod(t, server, waits).start(contract.HelperForks).wait(), "it has published")
}

// The helpers of several resources may have Pods counted at the same time, and a tool may create the object again.
func TestForks_severalAskForCounts(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	pods := countForks(t, server, map[string]int{"shop": 1})
	var running []container
	for _, output := range []string{"a", "b", "c"} {
		waits := forksOf("shop")
		waits.output = output
		render(server, waits)
		helper := newPod(t, server, waits)
		helper.timing.Recount = time.Millisecond
		running = append(running, helper.start(contract.HelperForks))
		helper.waitForLog("1 Pod is left")
	}
	pods.mu.Lock()
	time.Sleep(50 * time.Millisecond) // each has asked for a count
	server.Remove(budgetIn("shop"))
	server.Put(budgetIn("shop"), object{"metadata": object{"uid": "again", "generation": 1.0}, "status": object{"observedGeneration": 0.0}})
	pods.mu.Unlock()
	time.Sleep(50 * time.Millisecond) // the time to take it for the end
	for _, output := range []string{"a", "b", "c"} {
		assert.Empty(t, server.Get(ref(output)).Annotation(contract.PublishedKey))
	}
	pods.set(0)
	for _, helper := range running {
		assert.Zero(t, helper.wait())
	}
}

// The wait is limited: the message has the remaining Pods and the remedy, and the delete steps end.
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
			countForks(t, server, map[string]int{"shop": c.count})
		}
		helper := newPod(t, server, waits)
		helper.timing.ApplyTimeout = enough
		require.Equal(t, 1, helper.start(contract.HelperForks).wait())
		assert.Contains(t, helper.message(), c.message)
		assert.Equal(t, "f1", server.Get(ref("end")).Annotation(contract.FailedKey))
	}
}

func TestForks_terminationIsNoFailure(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	render(server, forksOf("shop"))
	countForks(t, server, map[string]int{"shop": 1})
	helper := newPod(t, server, forksOf("shop"))
	running := helper.start(contract.HelperForks)
	helper.waitForLog("1 Pod is left")
	running.terminate()
	assert.Equal(t, 143, running.wait())
	assert.Empty(t, server.Get(ref("end")).Annotation(contract.FailedKey))
}

// A fork that starts after all create steps waits for a key without a value: in the Secret of a step, even if that was
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
