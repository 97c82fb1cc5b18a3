//go:build e2e

package e2e

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"oras.land/oras-go/v2"
	"oras.land/oras-go/v2/registry/remote"
)

// startFlux starts the controllers of Flux, once. `down` of the node stops them.
func startFlux(t *testing.T) {
	t.Helper()
	flux.Do(func() { nodeScript(t, "flux") })
}

var flux sync.Once

const (
	fluxName      = "Flux"
	fluxNamespace = "flux-system"
)

// fluxArguments are those of the page on Flux.
var fluxArguments = []string{"--delivery", "flux"}

// kustomization is a Kustomization of Flux that delivers the folder deploy of a repository.
type kustomization struct {
	*repository
	name         string
	spec, source object
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
	k.source = object{"kind": "GitRepository", "spec": object{"interval": "2s", "url": k.url, "ref": object{"branch": "main"}}}
	return k
}

// create creates the Kustomization and its source. They are deleted at the end of the test, and the delivered objects stay.
func (k *kustomization) create() {
	k.t.Helper()
	metadata := object{"name": k.name, "namespace": fluxNamespace}
	k.source["apiVersion"], k.source["metadata"] = "source.toolkit.fluxcd.io/v1", metadata
	must(k.t, texts(k.t, k.source, object{"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization", "metadata": metadata, "spec": k.spec}), "create", "--filename=-")
	k.t.Cleanup(func() {
		if k.t.Failed() {
			out, _ := kubectl("", "get", "kustomization", k.name, "--namespace", fluxNamespace, "--output=yaml", "--ignore-not-found")
			k.t.Logf("%s", tail(out, 20_000))
		}
		_, _ = kubectl("", "patch", "kustomization", k.name, "--namespace", fluxNamespace, "--type=merge",
			`--patch={"metadata":{"finalizers":null}}`)
		_, _ = kubectl("", "delete", "kustomization,gitrepository,ocirepository", k.name, "--namespace", fluxNamespace, "--wait=false", "--ignore-not-found")
	})
}

// fluxStatus has the fields of a Kustomization or a HelmRelease that the tests read.
type fluxStatus struct {
	LastAttemptedRevision string
	Conditions            []struct{ Type, Status, Reason, Message string }
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
	t.Parallel()
	s := newNamespace(t)
	k := newKustomization(s)
	// The cleanup of a delete phase removes Secrets of the revision, for which Flux waits until the timeout, and then applies
	// the revision again.
	k.spec["timeout"] = "1m"
	deliverLifecycle(s, fluxArguments, k.repository, k.create, k.ready, k.ready)
	observe(t, fluxName, "all steps have succeeded", "Ready")
	observe(t, fluxName, "the delete phase is done", "Ready, after the timeout of the Kustomization")
	observe(t, fluxName, "the sandbox was removed", "Ready")
}

// A failing step makes the Kustomization fail, with the name of the Job; the fixed script makes it ready.
func TestFluxFailingStep(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	k := newKustomization(s)
	s.open(t, "go")
	revision := k.render(render(t, fluxArguments, s.failing("exit 3"), sandbox("failed", "failing", nil)))
	k.create()
	message := k.await(revision, "False", "HealthCheckFailed")
	assert.Contains(t, message, "Job/"+s.name+"/")
	assert.Contains(t, message, "status: 'Failed'")
	observe(t, fluxName, "a step failed", "not Ready: HealthCheckFailed")
	k.ready(k.render(render(t, fluxArguments, s.failing(good), sandbox("failed", "failing", nil))))
	assert.Equal(t, map[string]int{"make": 2, "use": 1, "slow": 1}, s.runs("failed"))
}

// Variables of scripts survive the substitution of Flux, which fills in those of other objects.
func TestFluxSubstitution(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	s := newNamespace(t)
	k := newKustomization(s)
	p := newPage(s, "returned")
	manifest := s.returned("one", fluxArguments...)
	p.write("create.yaml", manifest)
	revision := k.render(manifest)
	k.create()
	k.ready(revision)
	s.deleteOutputs()
	eventually(t, func() (string, error) {
		if _, ok := s.outputs()["returned/make"]; !ok {
			return "the Secret", nil
		}
		return "", nil
	})
	k.ready(revision)
	assert.Equal(t, "Stale", p.status("create.yaml").Status)
	observe(t, fluxName, "a published Secret was deleted", "Ready; rplug status: Stale")
	p.run("Run steps again")
	states := p.status("create.yaml", "--wait").states()
	assert.Equal(t, map[string]string{"make": "Ready", "use": "Stale", "tell": "Ready"}, states, "it has read the old outputs")
	p.run("Run steps again")
	p.ready()
	s.requireValue("one")
	assert.Equal(t, map[string]int{"make": 2, "use": 2, "tell": 1}, s.runs("returned"))
}

// What depends on a Kustomization with sandboxes starts when their steps have succeeded. A suspended one delivers nothing.
func TestFluxDependsOn(t *testing.T) {
	t.Parallel()
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
	k.await(revision, "Unknown", "Progressing")
	observe(t, fluxName, "a step runs", "not Ready: Progressing")
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

// Deleting the Kustomization prunes the delivered objects, except for the outputs, and runs no delete phase.
func TestFluxDelete(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	k := newKustomization(s)
	revision := k.render(s.returned("one", fluxArguments...))
	k.create()
	k.ready(revision)
	must(t, "", "delete", "kustomization", k.name, "--namespace", fluxNamespace, "--timeout="+timeout.String())
	jobs, err := list[workload](s.name, "jobs")
	require.NoError(t, err)
	assert.Empty(t, jobs)
	observe(t, fluxName, "the Kustomization was deleted", "the Jobs are gone, the outputs stay, and no delete phase runs")
	s.requireValue("one")
	assert.Zero(t, s.runs("returned")["drop"])
}

// Sandboxes in an OCI artifact, as `flux push artifact` writes it.
func TestFluxArtifact(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	startFlux(t)
	digest := pushArtifact(t, s.name, s.returned("one", fluxArguments...))
	k := &kustomization{repository: &repository{t: t}, name: s.name, spec: object{
		"interval": "5s", "path": "./", "prune": true, "wait": true, "timeout": timeout.String(),
		"sourceRef": object{"kind": "OCIRepository", "name": s.name},
	}}
	k.source = object{"kind": "OCIRepository", "spec": object{
		"interval": "2s", "url": "oci://" + nodeRegistry + "/" + s.name, "insecure": true, "ref": object{"tag": "main"},
	}}
	k.create()
	k.ready(digest)
	s.requireValue("one")
	k.ready(pushArtifact(t, s.name, s.returned("two", fluxArguments...)))
	s.requireValue("two")
}

// nodeRegistry is the registry of the node.
var nodeRegistry = "127.0.0.1:" + cmp.Or(os.Getenv("KRM_NODE_REGISTRY_PORT"), "15000")

// pushArtifact pushes a render with the tag main to the node's registry, and returns the digest of the manifest.
func pushArtifact(t *testing.T, name, manifest string) string {
	t.Helper()
	var layer bytes.Buffer
	compressed := gzip.NewWriter(&layer)
	archive := tar.NewWriter(compressed)
	require.NoError(t, archive.WriteHeader(&tar.Header{Name: "rendered.yaml", Mode: 0o644, Size: int64(len(manifest))}))
	_, err := archive.Write([]byte(manifest))
	require.NoError(t, errors.Join(err, archive.Close(), compressed.Close()))

	target, err := remote.NewRepository(nodeRegistry + "/" + name)
	require.NoError(t, err)
	target.PlainHTTP = true
	push := func(mediaType string, content []byte) ocispec.Descriptor {
		descriptor, err := oras.PushBytes(t.Context(), target, mediaType, content)
		require.NoError(t, err)
		return descriptor
	}
	config := push("application/vnd.cncf.flux.config.v1+json", []byte("{}"))
	descriptor, err := oras.PackManifest(t.Context(), target, oras.PackManifestVersion1_1, "", oras.PackManifestOptions{
		ConfigDescriptor: &config,
		Layers:           []ocispec.Descriptor{push("application/vnd.cncf.flux.content.v1.tar+gzip", layer.Bytes())},
	})
	require.NoError(t, err)
	require.NoError(t, target.Tag(t.Context(), descriptor, "main"))
	return descriptor.Digest.String()
}

// A HelmRelease whose chart has the render as a template installs the sandboxes, and its deletion runs the delete phase.
func TestFluxHelmRelease(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	startFlux(t)
	k := newKustomization(s) // for the source
	hooks := []string{"--delivery", "helm", "--phases", "create,delete", "--delete-hook", "PreDelete"}
	k.commit(map[string]string{
		"chart/Chart.yaml":              "apiVersion: v2\nname: sandboxes\nversion: 0.1.0\n",
		"chart/templates/rendered.yaml": s.returned("one", hooks...),
	})
	k.spec["suspend"] = true
	k.create()
	must(t, texts(t, object{"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease",
		"metadata": object{"name": "sandboxes", "namespace": s.name},
		"spec": object{
			"interval": "5s", "timeout": timeout.String(), "chart": object{"spec": object{
				"chart": "./deploy/chart", "sourceRef": object{"kind": "GitRepository", "name": k.name, "namespace": fluxNamespace},
			}},
		}}), "create", "--filename=-")
	must(t, "", "wait", "helmrelease/sandboxes", "--namespace", s.name, "--for=condition=Ready", "--timeout="+timeout.String())
	s.succeeded(3)
	s.requireValue("one")
	must(t, "", "delete", "helmrelease", "sandboxes", "--namespace", s.name, "--timeout="+timeout.String())
	assert.Equal(t, map[string]int{"make": 1, "use": 1, "tell": 1, "drop": 1}, s.runs("returned"))
	observe(t, fluxName, "the HelmRelease was deleted, with hooks", "the delete phase runs, then everything is gone")
	assert.Empty(t, s.outputs())
}
