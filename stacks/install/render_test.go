package install

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// text is a list as an orchestrator gets it.
func text(t *testing.T, list *krm.ResourceList) string {
	t.Helper()
	var out strings.Builder
	list.SetResults(nil)
	_, err := list.WriteTo(&out)
	require.NoError(t, err)
	return out.String()
}

// again is a list as the next run of an orchestrator reads it.
func again(t *testing.T, list *krm.ResourceList) *krm.ResourceList {
	t.Helper()
	next, err := krm.Parse([]byte(text(t, list)))
	require.NoError(t, err)
	return next
}

// checkIDs fails if two objects have the identity that kustomize refuses to see twice.
func checkIDs(t *testing.T, list *krm.ResourceList) {
	t.Helper()
	seen := map[string]bool{}
	for _, item := range list.Items() {
		group, _, _ := strings.Cut(item.APIVersion(), "/")
		namespace := item.Namespace()
		if namespace == "" {
			namespace = "default"
		}
		id := strings.Join([]string{group, item.Kind(), namespace, item.Name()}, "|")
		assert.False(t, seen[id], id)
		seen[id] = true
	}
}

func inPackage(change func(*render.Options)) func(*render.Options) {
	return func(o *render.Options) {
		o.WithoutPaths = false
		if change != nil {
			change(o)
		}
	}
}

// Rendering again changes nothing, and switching from one way to another leaves no objects behind.
func TestRender_again(t *testing.T) {
	t.Parallel()
	ways := map[string]func(*render.Options){
		"job": nil, "objects": unpacked, "argocd": func(o *render.Options) { o.Install, o.Delivery = render.InstallObjects, "argocd" },
		"without record": func(o *render.Options) { o.Install, o.Record = render.InstallObjects, false },
	}
	input := []string{file(t, "packages.yaml"), file(t, "request.yaml"), file(t, "xpkg.yaml"), file(t, "xpkg-request.yaml")}
	first := map[string]string{}
	for name, way := range ways {
		list := listOf(t, input...)
		rendered(t, list, inPackage(way))
		checkIDs(t, list)
		first[name] = text(t, list)
		next := again(t, list)
		rendered(t, next, inPackage(way))
		assert.Equal(t, first[name], text(t, next), name)
	}
	for from, way := range ways {
		for to, other := range ways {
			list := listOf(t, input...)
			rendered(t, list, inPackage(way))
			list = again(t, list)
			rendered(t, list, inPackage(other))
			assert.Equal(t, sortedLines(first[to]), sortedLines(text(t, list)), "from %s to %s", from, to)
		}
	}
}

// sortedLines are the lines of a list: the order of annotations and items differs after changes.
func sortedLines(text string) string {
	var all []string
	for line := range strings.Lines(text) {
		all = append(all, strings.TrimLeft(line, "- "))
	}
	slices.Sort(all)
	return strings.Join(all, "")
}

// If a request is removed, so are the objects that were rendered for it.
func TestRender_requestIsGone(t *testing.T) {
	t.Parallel()
	list := listOf(t, file(t, "packages.yaml"), file(t, "request.yaml"))
	rendered(t, list, inPackage(unpacked))
	list = again(t, list)
	list.Remove(Requests(list)...)
	summary := rendered(t, list, inPackage(func(o *render.Options) { o.Install, o.Prune = render.InstallObjects, true }))
	assert.Empty(t, summary.Objects)
	for _, item := range list.Items() {
		local, _ := item.Annotation(contract.LocalConfigKey)
		assert.Equal(t, "true", local, "%s %s", item.Kind(), item.Name())
	}
	assert.Contains(t, messages(list), "not applied any more: no request asks for its package")
}

// A request that cannot be rendered is an error whose message explains how to fix it.
func TestRender_refuses(t *testing.T) {
	t.Parallel()
	packages, request := file(t, "packages.yaml"), file(t, "request.yaml")
	absent := strings.Replace(request, "  name: my-redis\n", "  name: my-redis\n  annotations: {resourceplugins.dev/state: absent}\n", 1)
	catalog := `apiVersion: resourceplugins.dev/v1alpha1
kind: Catalog
metadata: {name: c}
spec:
  packages:
  - name: registry.example.org/acme/redis
    versions:
    - {version: v0.1.0, kind: StackDefinition, digest: "sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"}
`
	custom := "apiVersion: redis.example.org/v1alpha1\nkind: RedisCluster\nmetadata: {name: sessions}\n"
	cache := strings.NewReplacer("StackInstall", "ClusterStackInstall", "my-redis", "cache", "acme/redis:v0.1.0",
		"acme/provider-cache:v0.2.0").Replace(absent)
	for name, c := range map[string]struct {
		documents []string
		change    func(*render.Options)
		says      string
	}{
		"content is not in the list": {[]string{catalog, request}, nil, "must be in the list: the Job that installs it may apply only what " +
			"its permissions name; add it with import-plugin"},
		"wrong kind": {
			[]string{packages, strings.Replace(request, "StackInstall", "ClusterStackInstall", 1)}, nil,
			`kind: must be StackInstall, not "ClusterStackInstall": the permissionScope of package "registry.example.org/acme/redis" is Namespaced`,
		},
		"name is no name":      {[]string{packages, strings.Replace(request, "my-redis", "My_Redis", 1)}, nil, "metadata.name: "},
		"namespace is no name": {[]string{packages, strings.Replace(request, "shop", "a.b", 1)}, nil, "metadata.namespace: "},
		"state":                {[]string{packages, strings.Replace(absent, "absent", "gone", 1)}, nil, `must be "absent" or "present", not "gone"`},
		"twice": {
			[]string{packages, request, strings.Replace(request, "my-redis", "other", 1)}, nil,
			`must not be installed twice, by StackInstall "shop/my-redis" and StackInstall "shop/other": remove one of them`,
		},
		"used": {[]string{packages, absent, custom}, nil, `must not be removed while there are custom resources of its CRDs, which would go ` +
			`with them: remove RedisCluster "sessions" first`},
		"used, and the phase is delete": {
			[]string{packages, request, custom}, func(o *render.Options) { o.Phases = []string{"delete"} }, `remove RedisCluster "sessions" first`,
		},
		"needed": {[]string{packages, request, cache}, nil, `must not be absent: StackInstall "shop/my-redis" needs package`},
		"today's package is absent": {
			[]string{file(t, "xpkg.yaml"), strings.Replace(file(t, "xpkg-request.yaml"), "  name: platform # ours\n",
				"  name: platform\n  annotations: {resourceplugins.dev/state: absent}\n", 1)},
			nil, "must not be absent: remove the document, and Crossplane removes the package",
		},
		"forbidden controller": {
			[]string{strings.Replace(packages, "newField:", "hostNetwork: true\n            newField:", 1), request},
			func(o *render.Options) { o.Install, o.PodSecurity = render.InstallObjects, "restricted" },
			`the controller of package "registry.example.org/acme/provider-cache:v0.2.0@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" must keep to the Pod Security Standard`,
		},
		"Helm's actions": {
			[]string{strings.Replace(packages, "title: Redis", `title: "{{ .Values }}"`, 1), request},
			func(o *render.Options) { o.Install, o.Delivery = render.InstallObjects, "helm" }, `must not hold "{{", which Helm takes for an action`,
		},
		"broken record": {
			[]string{strings.Replace(packages, "            - name: stack-behavior-manager\n", "            - name\n            - ", 1), request}, nil,
			"spec.controller.deployment.spec of StackDefinition: template.spec.containers[0] must be a container",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list := listOf(t, c.documents...)
			rendered(t, list, c.change)
			assert.True(t, list.Results().Failed())
			assert.Contains(t, messages(list), c.says)
		})
	}
}

// universe returns random packages, each of which may need the ones before it, and requests for some of them.
func universe(r *rand.Rand) (documents []string) {
	n := 1 + r.IntN(6)
	scopes := make([]string, n)
	for i := range n {
		scopes[i] = []string{"Cluster", "Namespaced"}[r.IntN(2)]
		needs, rules := "", ""
		for dependency := range i {
			if r.IntN(3) == 0 {
				needs += fmt.Sprintf("  - crd: '*.g%d.example.org/v1'\n", dependency)
				rules += fmt.Sprintf("    - {apiGroups: [g%d.example.org], resources: ['*'], verbs: ['*']}\n", dependency)
			}
		}
		documents = append(documents, fmt.Sprintf(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: things.g%d.example.org
  annotations: {config.kubernetes.io/local-config: "true", resourceplugins.dev/package-of: p%d}
spec: {group: g%d.example.org, scope: Namespaced, names: {kind: Thing%d, plural: things}, versions: [{name: v1, served: true, storage: true}]}
`, i, i, i, i), fmt.Sprintf(`apiVersion: stacks.crossplane.io/v1alpha1
kind: Stack
metadata:
  name: p%d
  annotations: {config.kubernetes.io/local-config: "true", resourceplugins.dev/package: "r.example.org/p%d:v1.0.0@sha256:%064d"}
spec:
  permissionScope: %s
  dependsOn:
%s  controller: {deployment: {name: "", spec: {template: {spec: {containers: [{name: c, image: "r.example.org/c%d"}]}}}}}
  permissions:
    rules:
    - {apiGroups: [""], resources: [secrets], verbs: ['*']}
%s`, i, i, i, scopes[i], needs, i, rules))
	}
	for i := range n {
		if r.IntN(2) == 0 {
			continue
		}
		kind, state := "StackInstall", ""
		if scopes[i] == "Cluster" {
			kind = "ClusterStackInstall"
		}
		if r.IntN(5) == 0 {
			state = "absent"
		}
		documents = append(documents, fmt.Sprintf("apiVersion: stacks.crossplane.io/v1alpha1\nkind: %s\nmetadata:\n  name: %s\n"+
			"  namespace: n%d\n  annotations: {resourceplugins.dev/state: %q}\nspec: {package: r.example.org/p%d:v1.0.0}\n",
			kind, strings.Repeat(string(rune('a'+i)), 1+r.IntN(80)), r.IntN(2), state, i))
	}
	r.Shuffle(len(documents), func(i, j int) { documents[i], documents[j] = documents[j], documents[i] })
	return documents
}

// For all packages and requests, Jobs have exactly the permissions that they need, names are valid and unique, packages come
// after their dependencies, and the same input has the same output.
func TestRender_property(t *testing.T) {
	t.Parallel()
	random, jobs := checkout.Random(t), 0
	for range 100 {
		documents := universe(random)
		for _, way := range []func(*render.Options){nil, unpacked} {
			list, same := listOf(t, documents...), listOf(t, documents...)
			summary := rendered(t, list, inPackage(way))
			rendered(t, same, inPackage(way))
			reported := messages(list)
			if !assert.Equal(t, reported, messages(same)) || !assert.Equal(t, text(t, list), text(t, same)) {
				return
			}
			checkIDs(t, list)
			checkJobs(t, summary.Objects)
			for _, item := range summary.Objects {
				if item.Kind() == crd || isStack(item.APIVersion()) {
					continue
				}
				assert.LessOrEqual(t, len(item.Name()), contract.MaxObjectName)
				assert.Empty(t, document.CheckLabel(item.Name()))
				assert.True(t, contract.IsObjectName(item.Name()), item.Name())
			}
			applied := map[string]bool{}
			for _, job := range decoded[batchv1.Job](t, summary.Objects, "Job") {
				i := installationOf(t, &job)
				if job.Annotations[contract.PhaseKey] == "delete" {
					continue
				}
				jobs++
				for _, name := range i.Requires {
					assert.True(t, applied[name] || strings.Contains(reported, "error"), "%s before %s", name, job.Name)
				}
				for _, object := range i.Objects {
					applied[object.Name] = true
				}
				assert.NotContains(t, reported, "gets permissions on all resources")
			}
		}
	}
	assert.Greater(t, jobs, 100, "the property must be tried on Jobs")
}
