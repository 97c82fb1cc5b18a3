package test

import (
	"bytes"
	"encoding/base64"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/runner"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
	"github.com/resource-plugins/krm-functions/runtime/internal/manager"
)

func copies() step {
	return step{
		plan: contract.Plan{Step: "copy", Generation: "c1", Producers: []contract.Producer{{
			Step: "provision", Generation: "g1", Inputs: []contract.Input{{Output: "dsn"}}, Copies: []string{"apps", "jobs"},
		}}},
		secrets: []string{"provision"},
	}
}

func TestCopyWaitsAndCopiesTheNamedOutputs(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	more := provision()
	more.plan.Outputs = append(more.plan.Outputs, contract.Output{Name: "private", Path: "@/tmp/out/dsn"})
	render(server, more)
	job := newPod(t, server, copies())
	running := job.start("copy")
	time.Sleep(50 * time.Millisecond)
	for _, namespace := range []string{"apps", "jobs"} {
		server.Apply(cluster.Ref{Namespace: namespace, Name: "provision"}, map[string]string{contract.GenerationKey: "g1"})
	}
	require.Equal(t, success, newPod(t, server, more).play())
	require.Zero(t, running.wait(), job.log)
	for _, namespace := range []string{"apps", "jobs"} {
		secret := server.Get(cluster.Ref{Namespace: namespace, Name: "provision"})
		assert.Equal(t, map[string][]byte{"dsn": []byte("postgres://" + marker + "\n")}, secret.Data)
		assert.Equal(t, "g1", secret.Annotation(contract.PublishedKey))
	}
	requireSecrecy(t, job)
	require.Zero(t, job.start("copy").wait(), "again")
}

// A copy for workloads has their key, too; one of an earlier version gets it when the Job runs again.
func TestCopyForWorkloads(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	render(server, provision())
	target := cluster.Ref{Namespace: "apps", Name: "provision"}
	server.Apply(target, map[string]string{contract.GenerationKey: "g1"})
	require.Equal(t, success, newPod(t, server, provision()).play())
	value := []byte("postgres://" + marker + "\n")
	plain := copies()
	plain.plan.Producers[0].Copies = []string{"apps"}
	require.Zero(t, newPod(t, server, plain).start("copy").wait())
	assert.Equal(t, map[string][]byte{"dsn": value}, server.Get(target).Data)
	plain.plan.Producers[0].Inputs[0].Workloads = true
	job := newPod(t, server, plain)
	require.Zero(t, job.start("copy").wait(), job.log)
	assert.Equal(t, map[string][]byte{"dsn": value, "dsn.g1": value}, server.Get(target).Data)
	assert.Equal(t, map[string][]byte{"dsn": value}, server.Get(ref("provision")).Data)
}

// A fork that is added later gets its key from a Pod that runs no script.
func TestWorkloadKeyOfAPublishedStep(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	render(server, provision())
	require.Equal(t, success, newPod(t, server, provision()).play())
	forked := provision()
	forked.plan.Outputs[0].Workloads = true
	later := newPod(t, server, forked)
	require.Equal(t, success, later.play(), later.log)
	assert.False(t, later.exists("ran"))
	value := []byte("postgres://" + marker + "\n")
	assert.Equal(t, map[string][]byte{"dsn": value, "dsn.g1": value}, server.Get(ref("provision")).Data)

	forked = provision()
	forked.plan.Outputs[0].Workloads, forked.plan.Generation = true, "g2"
	render(server, forked)
	require.Equal(t, success, newPod(t, server, forked).play())
	assert.Equal(t, map[string][]byte{"dsn": value, "dsn.g2": value}, server.Get(ref("provision")).Data)
}

func TestCopyOfAFailedStepFails(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	server.Apply(ref("provision"), map[string]string{contract.FailedKey: "g1"})
	job := newPod(t, server, copies())
	require.Equal(t, 1, job.start("copy").wait())
	assert.Contains(t, job.message(), `step "provision" failed`)
}

func TestCopyWithoutTarget(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	render(server, provision())
	require.Equal(t, success, newPod(t, server, provision()).play())
	job := newPod(t, server, copies())
	require.Equal(t, 1, job.start("copy").wait())
	assert.Contains(t, job.message(), `secret "provision" in namespace "apps": 404`)
}

func TestCopyLeavesForeignSecrets(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	render(server, provision())
	require.Equal(t, success, newPod(t, server, provision()).play())
	foreign := cluster.Ref{Namespace: "apps", Name: "provision"}
	server.Put(foreign, object{"data": object{"password": "b3RoZXI="}})
	before := server.Get(foreign)
	job := newPod(t, server, copies())
	require.Equal(t, 1, job.start("copy").wait())
	assert.Contains(t, job.message(), `secret "provision" in namespace "apps" was not rendered for this step`)
	assert.Equal(t, before, server.Get(foreign))
}

func removal() step {
	return step{
		plan: contract.Plan{Step: "cleanup", Generation: "r1", Producers: []contract.Producer{
			{Step: "drop", Generation: "d1"}, {Step: "provision", Copies: []string{"apps", "jobs"}}, {Step: "seed"},
		}},
		secrets: []string{"drop", "provision", "seed"},
	}
}

func TestCleanupWaitsForTheDeleteSteps(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	copied := cluster.Ref{Namespace: "apps", Name: "provision"}
	server.Apply(copied, nil)
	server.Apply(ref("provision"), nil)
	server.Apply(ref("drop"), nil)
	server.Apply(ref("unrelated"), nil)
	job := newPod(t, server, removal())
	running := job.start("cleanup")
	job.waitForLog("waiting for step")
	time.Sleep(50 * time.Millisecond)
	require.NotNil(t, server.Get(ref("provision")))
	server.Apply(ref("drop"), map[string]string{contract.PublishedKey: "d1"})
	require.Zero(t, running.wait(), job.log)
	for _, gone := range []cluster.Ref{copied, ref("provision"), ref("drop"), ref("seed")} {
		assert.Nil(t, server.Get(gone), gone)
	}
	assert.NotNil(t, server.Get(ref("unrelated")))
	var last cluster.Ref
	for _, call := range server.Calls() {
		if call.Verb == "delete" {
			last = call.Object
		}
	}
	assert.Equal(t, ref("drop"), last, "the delete steps' Secrets are deleted last")
}

func TestCleanupDeletesNothingAfterAFailedStep(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	server.Apply(ref("provision"), nil)
	server.Apply(ref("drop"), map[string]string{contract.FailedKey: "d1"})
	job := newPod(t, server, removal())
	require.Equal(t, 1, job.start("cleanup").wait())
	assert.Contains(t, job.message(), `step "drop" failed`)
	assert.NotNil(t, server.Get(ref("provision")))
}

func TestCleanupIsNotInterrupted(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	server.Apply(ref("provision"), nil)
	server.Apply(ref("drop"), map[string]string{contract.PublishedKey: "d1"})
	server.Inject(func(call Call) Fault {
		if call.Verb == "delete" {
			return Status(503, "")
		}
		return nil
	})
	job := newPod(t, server, removal())
	running := job.start("cleanup")
	require.Eventually(t, func() bool { return len(server.Calls()) > 2 }, enough, time.Millisecond)
	running.terminate()
	time.Sleep(50 * time.Millisecond)
	server.Inject(nil)
	require.Zero(t, running.wait(), job.log)
	assert.Nil(t, server.Get(ref("drop")))
}

func TestUsageErrors(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	address, port := server.Address()
	good := map[string]string{
		"KUBERNETES_SERVICE_HOST": address, "KUBERNETES_SERVICE_PORT": port, contract.NamespaceVariable: "ns",
		contract.PlanVariable: `{"step":"s","generation":"g"}`,
	}
	for _, test := range []struct {
		name      string
		arguments string
		variable  string
		value     string
		want      string
	}{
		{"no command", "", "", "", "usage: manager inputs|outputs|copy|cleanup|forks"},
		{"unknown command", "input", "", "", "usage:"},
		{"two commands", "inputs outputs", "", "", "usage:"},
		{"no namespace", "inputs", contract.NamespaceVariable, "", contract.NamespaceVariable + " must be set"},
		{"no plan", "inputs", contract.PlanVariable, "", contract.PlanVariable + " must be set"},
		{"not a plan", "inputs", contract.PlanVariable, "[", "the helper image must have the version"},
		{"a newer plan", "inputs", contract.PlanVariable, `{"step":"s","later":1}`, `"later"`},
		{"an empty plan", "inputs", contract.PlanVariable, `{}`, "must have a step and a generation"},
		{
			"no input secret", "inputs", contract.PlanVariable,
			`{"step":"s","generation":"g","producers":[{"step":"p","inputs":[]}]}`, contract.InputSecretVariable(0) + " must be set",
		},
		{
			"no output secret", "outputs", contract.PlanVariable,
			`{"step":"s","generation":"g","outputs":[{"name":"a","path":"/a"}]}`, contract.OutputSecretVariable,
		},
		{"no cluster", "inputs", "KUBERNETES_SERVICE_HOST", "", "KUBERNETES_SERVICE_HOST"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			variables := maps.Clone(good)
			variables[test.variable] = test.value
			var log bytes.Buffer
			host := manager.Host{
				Getenv: func(name string) string { return variables[name] }, TokenFolder: server.Folder,
				Reporter: runner.Reporter{Stderr: &log},
			}
			want := 1
			if strings.HasPrefix(test.want, "usage") {
				want = 2
			}
			assert.Equal(t, want, host.Run(t.Context(), strings.Fields(test.arguments)))
			assert.Contains(t, log.String(), test.want)
			assert.Equal(t, 1, strings.Count(log.String(), "\n"))
		})
	}
}

func TestNoVolume(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	for _, command := range []string{"inputs", "outputs"} {
		p := newPod(t, server, provision())
		p.folder += "/none"
		running := p.start(command)
		assert.Equal(t, 1, running.wait())
		assert.Contains(t, p.log.String(), contract.IOVolume+" must be mounted")
	}
}

// ofSecret is the copy of an OutputSecret with outputs of two steps.
func ofSecret() step {
	return step{
		plan: contract.Plan{
			Step: "copy", Generation: "s1", Outputs: []contract.Output{{Name: "DATABASE_URL", Workloads: true}, {Name: "token", Workloads: true}},
			Producers: []contract.Producer{
				{Step: "provision", Generation: "g1", Inputs: []contract.Input{{Output: "dsn", Key: "DATABASE_URL"}}, Copies: []string{"apps"}},
				{Step: "seed", Generation: "g2", Inputs: []contract.Input{{Output: "key", Key: "token"}}, Copies: []string{"apps"}},
			},
		},
		secrets: []string{"provision", "seed"}, output: "shop-db",
	}
}

// The Secret of an OutputSecret is written once, when all steps have published, with a name of the publication and those that
// it was made from.
func TestCopyToOutputSecret(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	target := cluster.Ref{Namespace: "apps", Name: "shop-db"}
	server.Apply(target, map[string]string{contract.GenerationKey: "s1"})
	published := func(name, generation, publication, key, value string) {
		server.Put(ref(name), object{
			"metadata": object{"annotations": object{
				contract.GenerationKey: generation, contract.PublishedKey: generation, contract.PublicationKey: publication,
			}},
			"data": object{key: base64.StdEncoding.EncodeToString([]byte(value))},
		})
	}
	published("provision", "g1", "first", "dsn", "postgres://one")
	server.Apply(ref("seed"), map[string]string{contract.GenerationKey: "g2"})
	job := newPod(t, server, ofSecret())
	running := job.start("copy")
	time.Sleep(50 * time.Millisecond)
	assert.Empty(t, server.Get(target).Data, "a workload must not start with a part of the outputs")
	published("seed", "g2", "second", "key", "secret")
	require.Zero(t, running.wait(), job.log)
	written := server.Get(target)
	assert.Equal(t, map[string][]byte{
		"DATABASE_URL": []byte("postgres://one"), "DATABASE_URL.s1": []byte("postgres://one"), "token": []byte("secret"), "token.s1": []byte("secret"),
	}, written.Data)
	assert.Equal(t, "s1", written.Annotation(contract.PublishedKey))
	assert.NotEmpty(t, written.Annotation(contract.PublicationKey))
	assert.Equal(t, "first", written.Annotation(contract.ReadKey(0)))
	assert.Equal(t, "second", written.Annotation(contract.ReadKey(1)))
	assert.Nil(t, server.Get(cluster.Ref{Namespace: "ns", Name: "shop-db"}), "it is written in its namespace only")
}

// The cleanup removes the Secrets of OutputSecrets, too.
func TestCleanupRemovesOutputSecrets(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	removes := removal()
	removes.plan.Removes = []string{"apps"}
	removes.secrets = append(removes.secrets, "shop-db")
	target, kept := cluster.Ref{Namespace: "apps", Name: "shop-db"}, cluster.Ref{Namespace: "ns", Name: "shop-db"}
	server.Apply(target, nil)
	server.Apply(kept, nil)
	server.Apply(ref("drop"), map[string]string{contract.PublishedKey: "d1"})
	job := newPod(t, server, removes)
	require.Zero(t, job.start("cleanup").wait(), job.log)
	assert.Nil(t, server.Get(target))
	assert.NotNil(t, server.Get(kept), "a Secret of that name in another namespace stays")
}
