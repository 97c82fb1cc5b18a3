package dependency_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
	"github.com/resource-plugins/krm-functions/stacks/dependency"
)

const (
	head    = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
	install = "- {apiVersion: stacks.crossplane.io/v1alpha1, kind: StackInstall, metadata: {name: r}, spec: {package: %q}}\n"
)

// catalog writes a Catalog document with versions of the package redis, each `VERSION DIGIT FIELDS`.
func catalog(name string, priority int, versions ...string) string {
	text := fmt.Sprintf("- apiVersion: resourceplugins.dev/v1alpha1\n  kind: Catalog\n  metadata: {name: %s}\n  spec:\n"+
		"    priority: %d\n    packages:\n    - name: redis\n      versions:\n", name, priority)
	for _, v := range versions {
		parts := append(strings.SplitN(v, " ", 3), "")
		text += fmt.Sprintf("      - {version: %s, digest: %q, %s}\n", parts[0], "sha256:"+strings.Repeat(parts[1], 64), parts[2])
	}
	return text
}

func chosen(resolution dependency.Resolution) string {
	images := make([]string, len(resolution.Chosen))
	for i, c := range resolution.Chosen {
		images[i] = strings.TrimRight(c.Image(), "0123456789")
	}
	return strings.Join(images, " ")
}

// Catalogs compose as they do for plugins, in any order.
func TestCatalogsCompose(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		request  string
		catalogs []string
		want     string
		message  string
	}{
		{"the highest version", "redis", []string{catalog("a", 0, "v1.0.0 1"), catalog("b", 0, "v1.1.0 2")}, "redis:v1.1.0", ""},
		{
			"a higher priority before a higher version", "redis",
			[]string{catalog("a", 1, "v1.0.0 1"), catalog("b", 0, "v1.1.0 2")}, "redis:v1.0.0", "",
		},
		{
			"a lower priority if nothing else fits", "redis:>1.0",
			[]string{catalog("a", 1, "v1.0.0 1"), catalog("b", 0, "v1.1.0 2")}, "redis:v1.1.0", "",
		},
		{
			"what is deprecated last", "redis",
			[]string{catalog("a", 0, "v1.0.0 1"), catalog("b", 0, "v1.1.0 2 deprecated: old")}, "redis:v1.0.0", "",
		},
		{
			"yanked by any of the same priority", "redis",
			[]string{catalog("a", 0, "v1.1.0 2", "v1.0.0 1"), catalog("b", 0, "v1.1.0 2 yanked: leaks")}, "redis:v1.0.0", "",
		},
		{
			"not yanked by a lower priority", "redis",
			[]string{catalog("a", 1, "v1.1.0 2", "v1.0.0 1"), catalog("b", 0, "v1.1.0 2 yanked: leaks")}, "redis:v1.1.0", "",
		},
		{
			"one digest", "redis",
			[]string{catalog("a", 0, "v1.1.0 2", "v1.0.0 1"), catalog("b", 0, "v1.1.0 3")}, "",
			`version v1.1.0 of package "redis" must have one content, not sha256:` + strings.Repeat("2", 64) +
				` by Catalog "a" and sha256:` + strings.Repeat("3", 64) + ` by Catalog "b"`,
		},
		{
			"what cannot be read is not left out in silence", "redis",
			[]string{catalog("a", 0, "v1.1.0 2 yankd: leaks", "v1.0.0 1")}, "", `unknown key "yankd"`,
		},
		{
			"what does not decide may be wrong", "redis", []string{catalog("a", 0, "v1.1.0 2 released: soon", "v1.0.0 1")},
			"redis:v1.1.0", `must be a day such as "2026-01-20", not "soon"`,
		},
		{"a pin that is yanked", "redis:v1.0.0", []string{catalog("a", 0, "v1.1.0 2", "v1.0.0 1 yanked: leaks")}, "redis:v1.0.0", ""},
		{
			"a tag, not the range of the same text", "redis:1.0.0", []string{catalog("a", 0, "v1.0.1 2", "1.0.0 1")}, "redis:1.0.0", "",
		},
		{"half a version is a range", "redis:v1.0", []string{catalog("a", 0, "v1.0.1 2", "v1.0.0 1")}, "redis:v1.0.1", ""},
		{"latest", "redis:latest", []string{catalog("a", 0, "v2.0.0-rc.1 2", "v1.0.0 1")}, "redis:v1.0.0", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, order := range [][]string{c.catalogs, {c.catalogs[len(c.catalogs)-1], c.catalogs[0]}} {
				if len(c.catalogs) == 1 {
					order = c.catalogs
				}
				resolution, got := findings(t, head+fmt.Sprintf(install, c.request)+strings.Join(order, ""), resolve.Options{})
				assert.Equal(t, c.want, strings.TrimSuffix(strings.Split(chosen(resolution)+"@", "@")[0], " "), got)
				assert.Contains(t, strings.Join(got, "\n"), c.message)
				if c.message == "" {
					assert.Empty(t, got)
				}
			}
		})
	}
}

const redisPackage = `- apiVersion: meta.pkg.crossplane.io/v1
  kind: Provider
  metadata:
    name: redis
    annotations: {resourceplugins.dev/package: "redis:v1.0.0@sha256:%s"}
  spec: {}
- apiVersion: apiextensions.k8s.io/v1
  kind: CustomResourceDefinition
  metadata:
    name: ks.g.org
    annotations: {resourceplugins.dev/package-of: redis}
  spec:
    group: g.org
    names: {kind: K, plural: ks}
    scope: Namespaced
    versions: [{name: v1, served: true, storage: true}]
`

// A package of the list has its documents; a catalog only adds to it, and must have the same digest.
func TestPackagesOfTheListHaveContent(t *testing.T) {
	t.Parallel()
	ones := strings.Repeat("1", 64)
	text := head + fmt.Sprintf(install, "redis") + fmt.Sprintf(redisPackage, ones)
	resolution, got := findings(t, text+catalog("a", 5, "v1.0.0 1"), resolve.Options{})
	require.Empty(t, got)
	require.Len(t, resolution.Chosen, 1)
	c := resolution.Chosen[0]
	assert.Equal(t, "redis:v1.0.0@sha256:"+ones, c.Image())
	assert.Equal(t, "Provider", c.Kind)
	require.NotNil(t, c.Content)
	assert.Equal(t, "ks", c.CRDs[0].Plural)
	assert.Equal(t, []dependency.Requirer{{By: "StackInstall r"}}, c.Requirers)
	assert.Equal(t, resolution.Chosen, resolution.Requests[0].Closure)

	byCRD := strings.Replace(text, `package: "redis"`, "crd: ks.g.org/v1", 1)
	resolution, got = findings(t, byCRD, resolve.Options{})
	require.Empty(t, got)
	assert.Equal(t, "redis", resolution.Requests[0].Package)

	_, got = findings(t, text+catalog("a", 5, "v1.0.0 2"), resolve.Options{})
	assert.Contains(t, strings.Join(got, "\n"), `must have one content, not sha256:`+ones+` by Provider "redis" and sha256:2`)
	_, got = findings(t, text+fmt.Sprintf(redisPackage, strings.Repeat("2", 64)), resolve.Options{})
	assert.Contains(t, strings.Join(got, "\n"),
		`version v1.0.0 of package "redis" must be in the list once, not as Provider "redis" and Provider "redis": remove one`)
}

// Rendered packages are not requests, and neither are other documents of the same group.
func TestRenderedPackagesAreNoRequests(t *testing.T) {
	t.Parallel()
	resolution, got := findings(t, head+`- apiVersion: pkg.crossplane.io/v1
  kind: Provider
  metadata: {name: a, annotations: {resourceplugins.dev/rendered-by: render-phase}}
  spec: {package: "none:v1"}
- {apiVersion: pkg.crossplane.io/v1beta1, kind: Lock, metadata: {name: lock}, packages: []}
`, resolve.Options{})
	assert.Empty(t, got)
	assert.Empty(t, resolution.Requests)
}

// An absent request keeps its pin, since its objects are removed with the version that installed them.
func TestAbsentRequestsDoNotMove(t *testing.T) {
	t.Parallel()
	request := `- apiVersion: stacks.crossplane.io/v1alpha1
  kind: StackInstall
  metadata:
    name: r
    annotations:
      resourceplugins.dev/state: %s
      resourceplugins.dev/requested: '{"package":"redis"}'
      resourceplugins.dev/digests: '{"package":"redis:v1.0.0"}'
  spec: {package: "redis:v1.0.0"}
`
	catalogs := catalog("a", 0, "v1.1.0 2", "v1.0.0 1")
	update := resolve.Options{ResolveVersion: v1alpha1.ResolveVersion{Mode: "update"}}
	for state, want := range map[string]string{"present": "redis:v1.1.0", "absent": "redis:v1.0.0"} {
		resolution, got := findings(t, head+fmt.Sprintf(request, state)+catalogs, update)
		assert.Empty(t, got)
		assert.Contains(t, chosen(resolution), want)
	}
	_, got := findings(t, head+fmt.Sprintf(request, "gone")+catalogs, update)
	assert.Contains(t, strings.Join(got, "\n"), `must be "absent" or "present", not "gone"`)
}

// Under kustomize, a pin is not written back to the source: a floating request is reported, with the lock entry to add.
func TestFloatingRequestsAreReported(t *testing.T) {
	t.Parallel()
	request := `- apiVersion: stacks.crossplane.io/v1alpha1
  kind: StackInstall
  metadata: {name: r, annotations: {kustomize.config.k8s.io/id: "x"}}
  spec: {package: "redis:%s"}
`
	line := `- {name: redis, version: v1.0.0, digest: sha256:` + strings.Repeat("1", 64) + `}`
	lock := "- {apiVersion: resourceplugins.dev/v1alpha1, kind: PluginLock, metadata: {name: l}, spec: {packages: [" +
		strings.TrimPrefix(line, "- ") + "]}}\n"
	for text, want := range map[string]string{
		fmt.Sprintf(request, "^1"):        `"redis:^1" floats (StackInstall r), so that a new version would be installed with the next build`,
		fmt.Sprintf(request, "v1.0.0"):    "",
		fmt.Sprintf(request, "^1") + lock: "",
	} {
		list, err := krm.Parse([]byte(head + text + catalog("a", 0, "v1.0.0 1")))
		require.NoError(t, err)
		_, err = dependency.Pin(list, resolve.Options{ResolveVersion: v1alpha1.ResolveVersion{Strict: true}})
		require.NoError(t, err)
		assert.Equal(t, want != "", list.Results().Failed())
		for _, one := range list.Results() {
			assert.Contains(t, one.Message, want)
			assert.Contains(t, one.Message, line)
		}
	}
}

// New locks are annotated with their file, for orchestrators that write files.
func TestNewLocksHaveAPlace(t *testing.T) {
	t.Parallel()
	list, err := krm.Parse([]byte(head + fmt.Sprintf(install, "redis:^1") + catalog("a", 0, "v1.0.0 1")))
	require.NoError(t, err)
	report, err := dependency.Pin(list, resolve.Options{ResolveVersion: v1alpha1.ResolveVersion{Mode: "update"}, PlaceLock: true})
	require.NoError(t, err)
	assert.Equal(t, 1, report.Lock.Added)
	items := list.Items()
	text, err := items[len(items)-1].Bytes()
	require.NoError(t, err)
	assert.Contains(t, string(text), "kind: PluginLock")
	assert.Contains(t, string(text), "plugin-lock.yaml")
	assert.Contains(t, string(text), "by: StackInstall r")
}
