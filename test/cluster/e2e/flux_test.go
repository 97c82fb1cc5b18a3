//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// startFlux starts the controllers of Flux, once. `down` of the node stops them.
func startFlux(t *testing.T) {
	t.Helper()
	flux.Do(func() { nodeScript(t, "flux") })
}

var flux sync.Once

const fluxNamespace = "flux-system"

// fluxArguments are those of the page on Flux.
var fluxArguments = []string{"--delivery", "flux"}

// kustomization is a Kustomization of Flux that delivers the folder deploy of a repository.
type kustomization struct {
	*repository
	name string
	spec object
}

// newKustomization returns the Kustomization of the page on Flux, which create creates.
func newKustomization(s *testNamespace) *kustomization {
	s.t.Helper()
	startFlux(s.t)
	k := &kustomization{repository: newRepository(s.t), name: s.name}
	k.spec = object{
		"interval": "5s", "path": "./deploy", "prune": true, "wait": true, "timeout": timeout.String(), "retryInterval": "5s",
		"sourceRef": object{"kind": "GitRepository", "name": k.name},
	}
	return k
}

// create creates the Kustomization and its source. They are deleted at the end of the test, and what they deliver stays.
func (k *kustomization) create() {
	k.t.Helper()
	metadata := object{"name": k.name, "namespace": fluxNamespace}
	must(k.t, texts(k.t,
		object{"apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository", "metadata": metadata,
			"spec": object{"interval": "2s", "url": k.url, "ref": object{"branch": "main"}}},
		object{"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization", "metadata": metadata, "spec": k.spec},
	), "create", "--filename=-")
	k.t.Cleanup(func() {
		if k.t.Failed() {
			out, _ := kubectl("", "get", "kustomization", k.name, "--namespace", fluxNamespace, "--output=yaml", "--ignore-not-found")
			k.t.Logf("%s", tail(out, 20_000))
		}
		_, _ = kubectl("", "patch", "kustomization", k.name, "--namespace", fluxNamespace, "--type=merge",
			`--patch={"metadata":{"finalizers":null}}`)
		_, _ = kubectl("", "delete", "kustomization,gitrepository", k.name, "--namespace", fluxNamespace, "--wait=false", "--ignore-not-found")
	})
}

// fluxStatus has the fields of a Kustomization or a HelmRelease that the tests read.
type fluxStatus struct {
	LastAppliedRevision, LastAttemptedRevision string
	Conditions                                 []struct{ Type, Status, Reason, Message string }
}

// condition returns the status, the reason and the message of a condition.
func (s fluxStatus) condition(name string) (status, reason, message string) {
	for _, condition := range s.Conditions {
		if condition.Type == name {
			return condition.Status, condition.Reason, condition.Message
		}
	}
	return "", "", ""
}

// await waits until the Kustomization has attempted a revision and is ready, or is not for the reason.
func (k *kustomization) await(revision, ready, reason string) (message string) {
	k.t.Helper()
	eventually(k.t, func() (string, error) {
		var found struct{ Status fluxStatus }
		out, err := kubectl("", "get", "kustomization", k.name, "--namespace", fluxNamespace, "--output=json")
		if err == nil {
			err = json.Unmarshal([]byte(out), &found)
		}
		status, why, text := found.Status.condition("Ready")
		message = text
		if strings.HasSuffix(found.Status.LastAttemptedRevision, revision) && status == ready && why == reason {
			return "", err
		}
		return fmt.Sprintf("%s %s at %.8s, not %s %s at %s: %s", ready, reason, revision, status, why,
			found.Status.LastAttemptedRevision, text), err
	})
	return message
}

func (k *kustomization) ready(revision string) {
	k.t.Helper()
	k.await(revision, "True", "ReconciliationSucceeded")
}

// A sandbox is created, changed, changed back, torn down and removed by commits alone.
func TestFluxLifecycle(t *testing.T) {
	s := newNamespace(t)
	k := newKustomization(s)
	deliverLifecycle(s, fluxArguments, k.repository, k.create, k.ready, k.ready)
}

// A failing step makes the Kustomization fail, with the name of the Job; the fixed script makes it ready.
func TestFluxFailingStep(t *testing.T) {
	s := newNamespace(t)
	k := newKustomization(s)
	s.open(t, "go")
	revision := k.render(render(t, fluxArguments, s.failing("exit 3"), sandbox("failed", "failing", nil)))
	k.create()
	message := k.await(revision, "False", "HealthCheckFailed")
	assert.Contains(t, message, "Job/"+s.name+"/")
	assert.Contains(t, message, "status: 'Failed'")
	k.ready(k.render(render(t, fluxArguments, s.failing(good), sandbox("failed", "failing", nil))))
	assert.Equal(t, map[string]int{"make": 2, "use": 1, "slow": 1}, s.runs("failed"))
}

// Variables of scripts survive the substitution of Flux, which fills in those of other objects.
func TestFluxSubstitution(t *testing.T) {
	s := newNamespace(t)
	k := newKustomization(s)
	k.spec["postBuild"] = object{"substitute": object{"cluster": "production", "SIGNADOT_SANDBOX_NAME": "wrong"}}
	plugin := s.plugin("substituted@1.0.0", s.overlay(), step{
		name: "make", script: script("make", `cluster=own; printf %s "${cluster}-${SIGNADOT_SANDBOX_NAME}" > /outputs/value`),
		outputs: []string{"value"},
	})
	settings := object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": object{"name": "settings", "namespace": s.name},
		"data": object{"cluster": "${cluster}"}}
	revision := k.commit(map[string]string{
		"rendered.yaml": render(t, fluxArguments, plugin, sandbox("sub", "substituted", nil)), "settings.yaml": texts(t, settings),
	})
	k.create()
	k.ready(revision)
	assert.Equal(t, "own-sub", string(s.outputs()["sub/make"].Data["value"]))
	assert.Equal(t, "production", must(t, "", "get", "configmap", "settings", "--namespace", s.name, "--output=jsonpath={.data.cluster}"))
}

// A published Secret that was deleted is created again, empty, and the status is Stale until the Jobs are deleted.
func TestFluxDrift(t *testing.T) {
	s := newNamespace(t)
	k := newKustomization(s)
	p := newPage(s, "returned")
	manifest := s.returned("one", fluxArguments...)
	p.write("create.yaml", manifest)
	revision := k.render(manifest)
	k.create()
	k.ready(revision)
	s.deleteOutputs("make")
	eventually(t, func() (string, error) {
		if _, ok := s.outputs()["returned/make"]; !ok {
			return "the Secret", nil
		}
		return "", nil
	})
	k.ready(revision)
	assert.Equal(t, "Stale", p.status("create.yaml").Status)
	p.run("Run steps again")
	p.ready()
	s.requireValue("one")
	assert.Equal(t, map[string]int{"make": 2, "use": 2, "tell": 1}, s.runs("returned"))
}

// What depends on a Kustomization with sandboxes starts when their steps have succeeded. A suspended one delivers nothing.
func TestFluxDependsOn(t *testing.T) {
	s := newNamespace(t)
	k, after := newKustomization(s), newKustomization(s)
	after.name += "-after"
	after.spec["sourceRef"] = object{"kind": "GitRepository", "name": after.name}
	after.spec["dependsOn"] = []object{{"name": k.name}}
	revision := k.render(render(t, fluxArguments, s.failing(good), sandbox("first", "failing", nil)))
	second := after.render(texts(t, object{"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": object{"name": "after", "namespace": s.name}}))
	after.create()
	k.create()
	eventually(t, func() (string, error) {
		if s.runs("first")["use"] == 0 {
			return "the step use", nil
		}
		return "", nil
	})
	_, err := kubectl("", "get", "configmap", "after", "--namespace", s.name)
	require.Error(t, err, "the step slow still runs")
	s.open(t, "go")
	k.ready(revision)
	after.ready(second)

	must(t, "", "patch", "kustomization", k.name, "--namespace", fluxNamespace, "--type=merge", `--patch={"spec":{"suspend":true}}`)
	k.render(render(t, fluxArguments, s.failing("exit 3"), sandbox("first", "failing", nil)))
	next := after.render(texts(t, object{"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": object{"name": "after", "namespace": s.name}, "data": object{"second": "true"}}))
	after.ready(next) // so much time has passed
	assert.Equal(t, 1, s.runs("first")["make"])
}

// Deleting the Kustomization prunes what it delivers, except for the outputs, and runs no delete phase.
func TestFluxDelete(t *testing.T) {
	s := newNamespace(t)
	k := newKustomization(s)
	revision := k.render(s.returned("one", fluxArguments...))
	k.create()
	k.ready(revision)
	must(t, "", "delete", "kustomization", k.name, "--namespace", fluxNamespace, "--timeout="+timeout.String())
	jobs, err := list[workload](s.name, "jobs")
	require.NoError(t, err)
	assert.Empty(t, jobs)
	s.requireValue("one")
	assert.Zero(t, s.runs("returned")["drop"])
}
