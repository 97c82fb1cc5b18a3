package test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
	"github.com/resource-plugins/krm-functions/runtime/internal/manager"
	"github.com/resource-plugins/krm-functions/runtime/internal/termination"
	"github.com/resource-plugins/krm-functions/stacks/unpacking"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// packageRun runs the manager as a goroutine, with the objects of an unpacked package.
type packageRun struct {
	messages

	host    manager.Host
	objects []unpacking.Unpacked
}

func newPackageRun(t *testing.T, server *Server, installation unpacking.Installation) *packageRun {
	t.Helper()
	p := &packageRun{messages: newMessages(t), objects: unpackedFrom(installation)}
	text, err := json.Marshal(installation)
	require.NoError(t, err)
	variables := map[string]string{contract.NamespaceVariable: "ns", unpacking.InstallationVariable: string(text)}
	variables["KUBERNETES_SERVICE_HOST"], variables["KUBERNETES_SERVICE_PORT"] = server.Address()
	p.host = manager.Host{
		Getenv: func(name string) string { return variables[name] }, Timing: patient, TokenFolder: server.Folder,
		PackageObjects: filepath.Join(p.folder, "objects.json"),
		Reporter:       p.reporter(),
	}
	return p
}

func (p *packageRun) run(command string) (code int) {
	return p.start(command).wait()
}

func (p *packageRun) start(command string) container {
	text, err := json.Marshal(p.objects)
	require.NoError(p.t, err)
	require.NoError(p.t, os.WriteFile(p.host.PackageObjects, text, 0o600))
	ctx, cancel := context.WithCancelCause(p.t.Context())
	running := &helper{ended: make(chan int, 1), cancel: cancel}
	go func() { running.ended <- p.host.Run(ctx, []string{command}) }()
	return running
}

// cachePackage is the installation of a package with two CRDs. The order is that of rendering: CRDs are not the first of
// everything.
func cachePackage() unpacking.Installation {
	return unpacking.Installation{
		Name: "cache",
		Objects: []unpacking.Object{
			{Key: unpacking.Key{APIVersion: "v1", Kind: "ServiceAccount", Name: "cache"}, Resource: "serviceaccounts", IsNamespaced: true},
			{Key: unpacking.Key{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition", Name: "caches.example.org"}, Resource: "customresourcedefinitions", Digest: "sha256:1"},
			{Key: unpacking.Key{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition", Name: "pools.example.org"}, Resource: "customresourcedefinitions", Digest: "sha256:2"},
			{Key: unpacking.Key{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRole", Name: "cache"}, Resource: "clusterroles"},
			{Key: unpacking.Key{APIVersion: "stacks.crossplane.io/v1alpha1", Kind: "Stack", Name: "cache"}, Resource: "stacks", IsNamespaced: true, IsOptional: true, Digest: "sha256:3"},
			{Key: unpacking.Key{APIVersion: "apps/v1", Kind: "Deployment", Name: "cache"}, Resource: "deployments", IsNamespaced: true},
		},
		Custom: []unpacking.CustomResource{
			{CRD: "caches.example.org", Group: "example.org", Version: "v1", Plural: "caches"},
			{CRD: "pools.example.org", Group: "example.org", Version: "v1", Plural: "pools"},
		},
	}
}

// unpackedFrom returns the objects of an installation.
func unpackedFrom(installation unpacking.Installation) (objects []unpacking.Unpacked) {
	for _, of := range installation.Objects {
		metadata := object{"name": of.Name}
		if of.IsNamespaced {
			metadata["namespace"] = "ns"
		}
		text, _ := json.Marshal(object{
			"apiVersion": of.APIVersion, "kind": of.Kind, "metadata": metadata,
			"spec": object{"size": 1, "versions": []object{{"name": "v1"}}},
		})
		objects = append(objects, unpacking.Unpacked{Key: of.Key, Digest: of.Digest, Object: text})
	}
	return objects
}

// refOf returns the reference of an object of cachePackage.
func refOf(kind, name string) cluster.Ref {
	for _, of := range cachePackage().Objects {
		if of.Kind == kind {
			group, version, _ := strings.Cut("/"+of.APIVersion, "/")
			if at := strings.LastIndex(version, "/"); at >= 0 {
				group, version = version[:at], version[at+1:]
			}
			ref := cluster.Ref{Name: name, Kind: cluster.Kind{Group: group, Version: version, Plural: of.Resource, Singular: strings.ToLower(kind)}}
			if of.IsNamespaced {
				ref.Namespace = "ns"
			}
			return ref
		}
	}
	panic(kind)
}

var (
	caches     = refOf("CustomResourceDefinition", "caches.example.org")
	pools      = refOf("CustomResourceDefinition", "pools.example.org")
	account    = refOf("ServiceAccount", "cache")
	role       = refOf("ClusterRole", "cache")
	deployment = refOf("Deployment", "cache")
	oneCache   = cluster.Ref{Kind: cluster.Kind{Group: "example.org", Version: "v1", Plural: "caches", Singular: "cache"}, Namespace: "shop", Name: "sessions"}
)

// requests returns the calls as "VERB RESOURCE/NAME", without consecutive repetitions.
func requests(server *Server) (found []string) {
	for _, call := range server.Calls() {
		text := call.Verb + " " + call.Object.Kind.Plural + "/" + call.Object.Name
		if len(found) == 0 || found[len(found)-1] != text {
			found = append(found, text)
		}
	}
	return found
}

func requireInstalled(t *testing.T, server *Server) {
	t.Helper()
	for _, ref := range []cluster.Ref{caches, pools, account, role, deployment} {
		require.NotNil(t, server.Object(ref), ref)
	}
}

func TestApplyAppliesCRDsFirst(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	p := newPackageRun(t, server, cachePackage())
	require.Zero(t, p.run(unpacking.Apply), p.log)
	assert.Equal(t, []string{
		"patch customresourcedefinitions/caches.example.org", "patch customresourcedefinitions/pools.example.org",
		"watch customresourcedefinitions/caches.example.org", "watch customresourcedefinitions/pools.example.org",
		"patch serviceaccounts/cache", "patch clusterroles/cache", "patch stacks/cache", "patch deployments/cache",
	}, requests(server))
	requireInstalled(t, server)
	for _, call := range server.Calls() {
		if call.Verb == "patch" {
			assert.Equal(t, "fieldManager=resourceplugins-unpacker&force=false", call.Query, call.Object)
		}
	}
	assert.Contains(t, p.log.String(), `did not apply stack "cache" in namespace "ns": the cluster does not serve stacks.crossplane.io/v1alpha1`)
	assert.Empty(t, p.message())
}

func TestApplyWaitsUntilCRDsAreEstablished(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	server.SetSlow()
	p := newPackageRun(t, server, cachePackage())
	running := p.start(unpacking.Apply)
	p.waitForLog("waiting for customresourcedefinition")
	server.SetStatus(caches, object{"conditions": []any{object{"type": "Established", "status": "False"}}})
	time.Sleep(50 * time.Millisecond)
	assert.Nil(t, server.Object(account), "nothing else may be applied before")
	server.SetStatus(caches, established)
	server.SetStatus(pools, established)
	require.Zero(t, running.wait(), p.log)
	requireInstalled(t, server)
}

// A package requires CRDs of another package, whose Job may end later.
func TestApplyWaitsForRequiredCRDs(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	installation := cachePackage()
	installation.Requires = []string{"volumes.storage.example.org"}
	p := newPackageRun(t, server, installation)
	running := p.start(unpacking.Apply)
	p.waitForLog(`waiting for customresourcedefinition "volumes.storage.example.org" to be established`)
	time.Sleep(50 * time.Millisecond)
	assert.Nil(t, server.Object(caches), "nothing may be applied before")
	volumes := refOf("CustomResourceDefinition", "volumes.storage.example.org")
	server.Edit(volumes, "other", object{"spec": object{"versions": []any{object{"name": "v1"}}}})
	require.Zero(t, running.wait(), p.log)
	requireInstalled(t, server)
}

func TestApplyEndsIfACRDCannotBeEstablished(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		happens func(*Server)
		want    string
	}{
		"names taken": {func(s *Server) {
			s.SetStatus(caches, object{"conditions": []any{
				object{"type": "NamesAccepted", "status": "False", "message": `"Cache" is already in use`},
			}})
		}, `package "cache": customresourcedefinition "caches.example.org" must have names that no other CRD has: "Cache" is already in use`},
		"deleted": {func(s *Server) { s.Remove(caches) }, `customresourcedefinition "caches.example.org" was deleted: it must exist`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newServer(t)
			server.SetSlow()
			p := newPackageRun(t, server, cachePackage())
			running := p.start(unpacking.Apply)
			// The watch must have begun, or the server has no event.
			require.Eventually(t, func() bool {
				return slices.Contains(requests(server), "watch customresourcedefinitions/caches.example.org")
			}, enough, time.Millisecond)
			time.Sleep(20 * time.Millisecond)
			test.happens(server)
			require.Equal(t, 1, running.wait(), p.log)
			assert.Contains(t, p.message(), test.want)
			assert.Nil(t, server.Object(account))
		})
	}
}

// If an unpacked package differs from the rendered one, nothing is applied: the permissions of the Job are for the rendered
// names, and a tag can be moved.
func TestApplyRefusesAnotherPackage(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*packageRun)
		want   string
	}{
		"digest": {func(p *packageRun) { p.objects[1].Digest = "sha256:0" },
			`CustomResourceDefinition "caches.example.org" of apiextensions.k8s.io/v1 has another content`},
		"no digest": {func(p *packageRun) { p.objects[4].Digest = "" }, `Stack "cache" of stacks.crossplane.io/v1alpha1 has another content`},
		"missing":   {func(p *packageRun) { p.objects = p.objects[:5] }, `Deployment "cache" of apps/v1 is missing`},
		"more": {func(p *packageRun) {
			p.objects = append(p.objects, unpacking.Unpacked{
				Key: unpacking.Key{APIVersion: "v1", Kind: "Pod", Name: "extra"}, Object: json.RawMessage("{}"),
			})
		}, `Pod "extra" of v1 was not rendered`},
		"twice": {func(p *packageRun) { p.objects = append(p.objects, p.objects[0]) }, `ServiceAccount "cache" of v1 is in it twice`},
		"renamed": {func(p *packageRun) { p.objects[3].Name = "admin" },
			`ClusterRole "cache" of rbac.authorization.k8s.io/v1 is missing, ClusterRole "admin" of rbac.authorization.k8s.io/v1 was not rendered`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newServer(t)
			p := newPackageRun(t, server, cachePackage())
			test.change(p)
			require.Equal(t, 1, p.run(unpacking.Apply))
			assert.Contains(t, p.message(), `package "cache": nothing applied: the package image must be the one that was rendered, but `)
			assert.Contains(t, p.message(), test.want)
			assert.Contains(t, p.message(), "pin the image by its digest")
			assert.Empty(t, server.Calls())
		})
	}
}

func TestApplyWinsConflictsForItsOwnObjects(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	p := newPackageRun(t, server, cachePackage())
	require.Zero(t, p.run(unpacking.Apply), p.log)
	server.Edit(deployment, "kubectl-edit", object{"spec": object{"size": 7, "paused": true}})
	require.Zero(t, p.run(unpacking.Apply), p.log)
	spec := server.Object(deployment)["spec"].(object)
	assert.InDelta(t, 1, spec["size"], 0)
	assert.Equal(t, true, spec["paused"], "a field that is not ours is kept")

	// Objects of the same rendering that another tool has applied are ours, too.
	labelled := newServer(t)
	labelled.Edit(deployment, "kubectl-client-side-apply", object{
		"metadata": object{"labels": object{contract.ManagedByKey: contract.ManagedBy}}, "spec": object{"size": 7},
	})
	p = newPackageRun(t, labelled, cachePackage())
	require.Zero(t, p.run(unpacking.Apply), p.log)
	assert.InDelta(t, 1, labelled.Object(deployment)["spec"].(object)["size"], 0)
}

func TestApplyRefusesForeignObjects(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	server.Edit(deployment, "helm", object{"spec": object{"size": 7, "versions": []any{}}})
	before := server.Object(deployment)
	p := newPackageRun(t, server, cachePackage())
	require.Equal(t, 1, p.run(unpacking.Apply))
	assert.Contains(t, p.message(), `deployment "cache" in namespace "ns" exists and belongs to another tool: spec`)
	assert.Contains(t, p.message(), `and 1 more fields: conflict with "helm"; delete it or rename it to install the package`)
	assert.Equal(t, before, server.Object(deployment))
}

func TestApplyNamesTheMissingPermission(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		verb string
		ref  cluster.Ref
		want string
	}{
		{"patch", role, `patch clusterrole "cache": 403 Forbidden (Invalid value: `},
		{"watch", caches, `watch customresourcedefinition "caches.example.org": 403 Forbidden: a ClusterRole must grant the Pod's ServiceAccount "watch" on it`},
		{"patch", deployment, `: a Role must grant the Pod's ServiceAccount "patch" on it`},
	} {
		t.Run(test.verb+" "+test.ref.Kind.String(), func(t *testing.T) {
			t.Parallel()
			server := newServer(t)
			server.Deny(test.verb, test.ref)
			p := newPackageRun(t, server, cachePackage())
			p.host.Timing.ApplyTimeout = 100 * time.Millisecond
			require.Equal(t, 1, p.run(unpacking.Apply))
			assert.Contains(t, p.message(), test.want)
		})
	}
}

// Roles may be applied after the Job.
func TestApplyWaitsForPermissions(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	server.Deny("patch", role)
	p := newPackageRun(t, server, cachePackage())
	p.host.Timing.ApplyTimeout = enough
	running := p.start(unpacking.Apply)
	require.Eventually(t, func() bool { return slices.Contains(requests(server), "patch clusterroles/cache") }, enough, time.Millisecond)
	server.Allow("patch", role)
	require.Zero(t, running.wait(), p.log)
	requireInstalled(t, server)
}

// If the cluster does not serve the version of the CRDs, the message names the version.
func TestApplyNamesTheVersionThatIsNotServed(t *testing.T) {
	t.Parallel()
	installation := cachePackage()
	installation.Objects[1].APIVersion = "apiextensions.k8s.io/v1beta1"
	p := newPackageRun(t, newServer(t), installation)
	p.host.Timing.ApplyTimeout = 50 * time.Millisecond
	require.Equal(t, 1, p.run(unpacking.Apply))
	assert.Contains(t, p.message(), `the cluster must serve customresourcedefinitions of apiextensions.k8s.io/v1beta1`)
}

func TestApplyAppliesAgainWhatIsBeingDeleted(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	p := newPackageRun(t, server, cachePackage())
	require.Zero(t, p.run(unpacking.Apply), p.log)
	server.SetStatus(deployment, object{"old": true})
	server.Edit(deployment, "garbage-collector", object{"metadata": object{"deletionTimestamp": "2026-01-01T00:00:00Z"}})
	running := p.start(unpacking.Apply)
	time.Sleep(50 * time.Millisecond)
	server.Remove(deployment)
	require.Zero(t, running.wait(), p.log)
	assert.Nil(t, server.Object(deployment)["status"], "it must be a new object")
}

// A run that is interrupted at any request is completed by the next.
func TestApplyCompletesAnInterruptedRun(t *testing.T) {
	t.Parallel()
	for stop := 1; stop <= 8; stop++ {
		t.Run(fmt.Sprint(stop), func(t *testing.T) {
			t.Parallel()
			server := newServer(t)
			first := newPackageRun(t, server, cachePackage())
			reached := make(chan struct{}, 100)
			server.Inject(func(call Call) Fault {
				if call.Number < stop {
					return nil
				}
				reached <- struct{}{}
				return Hang("")
			})
			running := first.start(unpacking.Apply)
			<-reached
			running.terminate()
			require.Equal(t, termination.ExitCode, running.wait(), first.log)
			assert.Contains(t, first.message(), "the Pod is being terminated")
			server.Inject(nil)
			second := newPackageRun(t, server, cachePackage())
			require.Zero(t, second.run(unpacking.Apply), second.log)
			requireInstalled(t, server)
		})
	}
}

func TestApplyAndDeleteSurviveOutages(t *testing.T) {
	t.Parallel()
	faults := []Fault{
		Cut, Status(429, marker), Status(500, marker), Status(503, marker), Garbage(marker), CutWithin(marker),
		Status(409, marker), RetryAfter("0"),
	}
	for i := range checkout.Rounds(4) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			server := newServer(t)
			server.Inject(func(call Call) Fault {
				switch at := (call.Number*7 + i) % 12; {
				case at < len(faults):
					return faults[at]
				case at == len(faults) && call.Verb == "patch":
					return CutAfter
				default:
					return nil
				}
			})
			for _, command := range []string{unpacking.Apply, unpacking.Delete} {
				p := newPackageRun(t, server, cachePackage())
				running := p.start(command)
				time.Sleep(time.Duration(i) * 5 * time.Millisecond)
				up := server.Down()
				time.Sleep(50 * time.Millisecond)
				up()
				require.Zero(t, running.wait(), p.log)
				if command == unpacking.Apply {
					requireInstalled(t, server)
				}
			}
			for _, of := range []cluster.Ref{caches, pools, account, role, deployment} {
				assert.Nil(t, server.Object(of), of)
			}
		})
	}
}

func installed(t *testing.T) *Server {
	t.Helper()
	server := newServer(t)
	p := newPackageRun(t, server, cachePackage())
	require.Zero(t, p.run(unpacking.Apply), p.log)
	server.mu.Lock()
	server.calls = nil
	server.mu.Unlock()
	return server
}

func TestDeleteRemovesInReverseOrder(t *testing.T) {
	t.Parallel()
	server := installed(t)
	server.Linger(deployment, 3) // the Pods end first
	p := newPackageRun(t, server, cachePackage())
	require.Zero(t, p.run(unpacking.Delete), p.log)
	assert.Equal(t, []string{
		"list caches/", "list pools/", "delete deployments/cache", "delete stacks/cache", "delete clusterroles/cache",
		"list pools/", "delete customresourcedefinitions/pools.example.org",
		"list caches/", "delete customresourcedefinitions/caches.example.org", "delete serviceaccounts/cache",
	}, requests(server))
	assert.Empty(t, server.state.objects)
	assert.Contains(t, p.log.String(), `stack "cache" in namespace "ns" did not exist`)

	again := newPackageRun(t, server, cachePackage())
	require.Zero(t, again.run(unpacking.Delete), again.log)
	assert.Contains(t, again.log.String(), `deployment "cache" in namespace "ns" did not exist`)
}

func TestDeleteRefusesWhileThereAreCustomResources(t *testing.T) {
	t.Parallel()
	server := installed(t)
	server.Put(oneCache, object{})
	p := newPackageRun(t, server, cachePackage())
	require.Equal(t, 1, p.run(unpacking.Delete))
	assert.Equal(t, `package "cache": nothing deleted: custom resources must be deleted first, since the cluster deletes them `+
		`with their CRD: caches.example.org "shop/sessions"`+"\n", p.message())
	requireInstalled(t, server)

	server.Remove(oneCache)
	require.Zero(t, p.run(unpacking.Delete), p.log)
	assert.Empty(t, server.state.objects)
}

// A CRD is kept if a custom resource is created while the package is removed.
func TestDeleteKeepsACRDThatGetsACustomResource(t *testing.T) {
	t.Parallel()
	server := installed(t)
	server.Linger(deployment, 1000)
	p := newPackageRun(t, server, cachePackage())
	running := p.start(unpacking.Delete)
	require.Eventually(t, func() bool { return slices.Contains(requests(server), "delete deployments/cache") }, enough, time.Millisecond)
	server.Put(oneCache, object{})
	server.Linger(deployment, 0)
	require.Equal(t, 1, running.wait(), p.log)
	assert.Contains(t, p.message(), `caches.example.org "shop/sessions"`)
	assert.NotNil(t, server.Object(caches))
}

// The CRD belongs to another version of the package, so its custom resources cannot be listed.
func TestDeleteRefusesWhatItCannotSee(t *testing.T) {
	t.Parallel()
	server := installed(t)
	installation := cachePackage()
	installation.Custom[0].Version = "v2"
	p := newPackageRun(t, server, installation)
	require.Equal(t, 1, p.run(unpacking.Delete))
	assert.Contains(t, p.message(), `customresourcedefinition "caches.example.org" must serve version "v2", or its custom resources cannot be listed`)
	requireInstalled(t, server)
}

func TestDeleteNamesTheMissingPermission(t *testing.T) {
	t.Parallel()
	server := installed(t)
	server.Deny("list", cluster.Ref{Kind: oneCache.Kind})
	p := newPackageRun(t, server, cachePackage())
	p.host.Timing.ApplyTimeout = 50 * time.Millisecond
	require.Equal(t, 1, p.run(unpacking.Delete))
	assert.Contains(t, p.message(), `list caches: 403 Forbidden`)
	assert.Contains(t, p.message(), `a ClusterRole must grant the Pod's ServiceAccount "list" on it`)
	requireInstalled(t, server)
}

func TestDeleteCompletesAnInterruptedRun(t *testing.T) {
	t.Parallel()
	for stop := 1; stop <= 10; stop++ {
		t.Run(fmt.Sprint(stop), func(t *testing.T) {
			t.Parallel()
			server := installed(t)
			reached := make(chan struct{}, 100)
			server.Inject(func(call Call) Fault {
				if call.Number < stop {
					return nil
				}
				reached <- struct{}{}
				return Hang("")
			})
			first := newPackageRun(t, server, cachePackage())
			running := first.start(unpacking.Delete)
			<-reached
			running.terminate()
			require.Equal(t, termination.ExitCode, running.wait(), first.log)
			server.Inject(nil)
			second := newPackageRun(t, server, cachePackage())
			require.Zero(t, second.run(unpacking.Delete), second.log)
			assert.Empty(t, server.state.objects)
		})
	}
}

func TestPackagesNeedAnInstallation(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                "environment variable RESOURCEPLUGINS_INSTALLATION must be set",
		"{":                               "cannot read the installation in RESOURCEPLUGINS_INSTALLATION: the helper image must have the version",
		`{"name":"a","objects":[],"x":1}`: `unknown field "x"`,
		`{"name":"a"}`:                    "the installation must have a name and objects",
	} {
		p := newPackageRun(t, newServer(t), cachePackage())
		getenv := p.host.Getenv
		p.host.Getenv = func(name string) string {
			if name == unpacking.InstallationVariable {
				return text
			}
			return getenv(name)
		}
		require.Equal(t, 1, p.run(unpacking.Apply))
		assert.Contains(t, p.message(), want)
	}
	p := newPackageRun(t, newServer(t), cachePackage())
	p.host.Getenv = func(string) string { return "" }
	require.Equal(t, 1, p.run(unpacking.Apply))
	assert.Contains(t, p.message(), "environment variable RESOURCEPLUGINS_NAMESPACE must be set")
}

// A file that is missing or cut short is the unpacker's: nothing is applied.
func TestApplyNeedsTheObjects(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":       "no such file",
		"[{":     "the image of the unpacker must have the version of the manager",
		"[1]":    "the image of the unpacker must have the version of the manager",
		"[]":     `ServiceAccount "cache" of v1 is missing`,
		`[null]`: `ServiceAccount "cache" of v1 is missing`,
	} {
		server := newServer(t)
		p := newPackageRun(t, server, cachePackage())
		p.host.PackageObjects = filepath.Join(p.folder, "other.json")
		if text != "" {
			require.NoError(t, os.WriteFile(p.host.PackageObjects, []byte(text), 0o600))
		}
		assert.Equal(t, 1, p.host.Run(t.Context(), []string{unpacking.Apply}))
		assert.Contains(t, p.message(), `package "cache": nothing applied: `)
		assert.Contains(t, p.message(), want)
		assert.Empty(t, server.Calls())
	}
}
