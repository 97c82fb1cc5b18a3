package pack_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/stacks/pack"
)

// listOf returns a list of documents, in flow style.
func listOf(t *testing.T, documents ...string) *krm.ResourceList {
	t.Helper()
	text := "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
	for _, d := range documents {
		text += "- " + d + "\n"
	}
	list, err := krm.Parse([]byte(text))
	require.NoError(t, err)
	return list
}

const (
	stackDocument = `{apiVersion: stacks.crossplane.io/v1alpha1, kind: Stack, metadata: {name: redis, annotations: {` +
		contract.PackageKey + `: "registry.example.org/acme/redis:v0.1.0@sha256:0123"}}, spec: {version: 0.3, permissionScope: Cluster, ` +
		`dependsOn: [{crd: "*.cache.example.org/v1"}, {package: "acme/gcp:>=0.1 <0.3", source: registry.example.org}, ` +
		`{package: "quay.io/acme/aws@sha256:4567", source: registry.example.org}, {}, {source: x}]}}`
	crdDocument = `{apiVersion: apiextensions.k8s.io/v1beta1, kind: CustomResourceDefinition, metadata: {name: a.b, annotations: {` +
		contract.PackagePartKey + `: redis}}, spec: {group: b, version: v1, scope: Cluster, names: {kind: A, plural: as}}}`
)

func TestFind_readsRecords(t *testing.T) {
	t.Parallel()
	list := listOf(t, crdDocument, stackDocument,
		`{apiVersion: v1, kind: ConfigMap, metadata: {name: other}}`,
		`{apiVersion: stacks.crossplane.io/v1alpha1, kind: StackInstall, metadata: {name: redis}, spec: {package: redis}}`,
		`{apiVersion: extensions.crossplane.io/v1alpha1, kind: Extension, metadata: {name: e}, spec: {version: v2, `+
			`customresourcedefinitions: {dependsOn: [{kind: RedisCluster, apiVersion: cache.example.org/v1}, {kind: X}]}}}`)
	found := pack.Find(list)
	require.Len(t, found, 2)
	items := list.Items()
	assert.Equal(t, &pack.Package{
		Name: "registry.example.org/acme/redis", Version: "v0.1.0", Digest: "sha256:0123",
		APIVersion: "stacks.crossplane.io/v1alpha1", Kind: "Stack", Scope: "Cluster",
		DependsOn: []pack.Dependency{
			{CRD: "*.cache.example.org/v1", Field: "spec.dependsOn[0]"},
			{Package: "registry.example.org/acme/gcp", Constraint: ">=0.1 <0.3", Field: "spec.dependsOn[1]"},
			{Package: "quay.io/acme/aws", Constraint: "sha256:4567", Field: "spec.dependsOn[2]"},
		},
		CRDs:     []pack.CRD{{Group: "b", Kind: "A", Plural: "as", Versions: []string{"v1"}, Scope: "Cluster"}},
		Metadata: items[1], Members: items[:1],
	}, found[0])
	assert.Equal(t, &pack.Package{
		Name: "e", Version: "v2", APIVersion: "extensions.crossplane.io/v1alpha1", Kind: "Extension", Metadata: items[4],
		DependsOn: []pack.Dependency{
			{CRD: "redisclusters.cache.example.org/v1", Field: "spec.customresourcedefinitions.dependsOn[0]"},
		},
	}, found[1])
}

func TestFind_readsMetadataOfToday(t *testing.T) {
	t.Parallel()
	const part = `annotations: {` + contract.PackagePartKey + `: cache}`
	list := listOf(t,
		`{apiVersion: meta.pkg.crossplane.io/v1, kind: Configuration, metadata: {name: cache}, spec: {dependsOn: [`+
			`{apiVersion: pkg.crossplane.io/v1, kind: Provider, package: r.example.org/a, version: ">=v1"}, `+
			`{provider: r.example.org/b, version: "sha256:0123"}, {configuration: r.example.org/c, version: v1}, `+
			`{function: r.example.org/d, version: v1}, {version: v1}, text]}}`,
		`{apiVersion: apiextensions.crossplane.io/v2, kind: CompositeResourceDefinition, metadata: {name: x, `+part+`}, spec: {group: g, `+
			`names: {kind: X, plural: xs}, versions: [{name: v1, served: true}, {name: v0, served: false}]}}`,
		`{apiVersion: apiextensions.crossplane.io/v1, kind: CompositeResourceDefinition, metadata: {name: y, `+part+`}, spec: {group: g, `+
			`names: {kind: XY, plural: xys}, claimNames: {kind: Y, plural: ys}, versions: [{name: v1, served: true}]}}`,
		`{apiVersion: apiextensions.crossplane.io/v1, kind: Composition, metadata: {name: c, `+part+`}, spec: {}}`,
		`{apiVersion: apiextensions.crossplane.io/v1alpha1, kind: ManagedResourceDefinition, metadata: {name: m, `+part+`}, spec: {`+
			`group: m, scope: Cluster, names: {kind: M, plural: ms}, versions: [{name: v1beta1, served: true}]}}`,
		`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: broken, `+part+`}, spec: [1]}`,
		`{apiVersion: meta.pkg.crossplane.io/v1, kind: Function, metadata: {name: f}}`,
		`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: i, annotations: {`+contract.PackagePartKey+
			`: f}}, spec: {group: g, names: {kind: Input, plural: inputs}, versions: [{name: v1, served: true}]}}`,
		`{apiVersion: v1, kind: ConfigMap, metadata: {name: x, annotations: {`+contract.PackagePartKey+`: nowhere}}}`,
	)
	found := pack.Find(list)
	require.Len(t, found, 2)
	assert.Equal(t, []pack.Dependency{
		{Package: "r.example.org/a", Kind: "Provider", Constraint: ">=v1", Field: "spec.dependsOn[0]"},
		{Package: "r.example.org/b", Kind: "Provider", Constraint: "sha256:0123", Field: "spec.dependsOn[1]"},
		{Package: "r.example.org/c", Kind: "Configuration", Constraint: "v1", Field: "spec.dependsOn[2]"},
		{Package: "r.example.org/d", Kind: "Function", Constraint: "v1", Field: "spec.dependsOn[3]"},
	}, found[0].DependsOn)
	one := []string{"v1"}
	assert.Equal(t, []pack.CRD{
		{Group: "g", Kind: "X", Plural: "xs", Versions: one, Scope: "Namespaced"},
		{Group: "g", Kind: "XY", Plural: "xys", Versions: one, Scope: "Cluster"},
		{Group: "g", Kind: "Y", Plural: "ys", Versions: one, Scope: "Namespaced"},
		{Group: "m", Kind: "M", Plural: "ms", Versions: []string{"v1beta1"}, Scope: "Cluster"},
	}, found[0].CRDs)
	assert.Len(t, found[0].Members, 5)
	assert.Empty(t, found[1].CRDs, "no cluster gets the CRDs of a function")
	assert.Len(t, found[1].Members, 1)
}

// Documents without an annotation belong to the only package of their file.
func TestFind_takesFiles(t *testing.T) {
	t.Parallel()
	in := func(file string) string {
		return `annotations: {internal.config.kubernetes.io/path: ` + file + `, internal.config.kubernetes.io/index: "0"}`
	}
	crd := func(name, file string) string {
		return `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: ` + name + `, ` + in(file) + `}, ` +
			`spec: {group: g, names: {kind: K, plural: ks}}}`
	}
	metadata := func(name, file string) string {
		return `{apiVersion: meta.pkg.crossplane.io/v1, kind: Provider, metadata: {name: ` + name + `, ` + in(file) + `}}`
	}
	found := pack.Find(listOf(t, metadata("a", "a.yaml"), metadata("b", "b.yaml"), metadata("c", "b.yaml"),
		crd("in-a", "a.yaml"), crd("in-b", "b.yaml"), crd("elsewhere", "c.yaml"),
		`{apiVersion: pkg.crossplane.io/v1, kind: Provider, metadata: {name: request, `+in("a.yaml")+`}, spec: {package: x}}`))
	require.Len(t, found, 3)
	require.Len(t, found[0].Members, 1)
	assert.Equal(t, "in-a", found[0].Members[0].Name())
	assert.Empty(t, found[1].Members)
	assert.Empty(t, found[2].Members)
}

// A namePrefix of kustomize changes the names of metadata documents, but not the annotations that refer to them.
func TestFind_takesNamesThatKustomizeChanged(t *testing.T) {
	t.Parallel()
	changed := strings.Replace(stackDocument, "{name: redis, annotations: {",
		"{name: dev-redis, annotations: {internal.config.kubernetes.io/previousNames: 'redis,dev-redis', ", 1)
	found := pack.Find(listOf(t, changed, crdDocument))
	require.Len(t, found, 1)
	assert.Len(t, found[0].CRDs, 1)
}

// Find accepts any list and never panics.
func FuzzFind(f *testing.F) {
	f.Add([]byte("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- " + stackDocument + "\n- " + crdDocument + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := krm.Parse(text)
		if err != nil {
			return // not a list
		}
		for _, p := range pack.Find(list) {
			require.NotNil(t, p.Metadata)
			for _, d := range p.DependsOn {
				assert.NotEqual(t, d.Package == "", d.CRD == "", d)
			}
			for _, c := range p.CRDs {
				assert.NotEmpty(t, c.Group)
			}
		}
	})
}
