package load_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// extract writes an archive below a new working folder.
func extract(t *testing.T, archive string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, file := range txtar.Parse([]byte(archive)).Files {
		require.NoError(t, os.MkdirAll(filepath.Dir(file.Name), 0o755))
		require.NoError(t, os.WriteFile(file.Name, file.Data, 0o600))
	}
}

func built(t *testing.T, folders ...string) (*load.Package, error) {
	t.Helper()
	return load.Read(nil, load.Options{Kustomize: folders})
}

const overlay = `
-- base/kustomization.yaml --
resources: [app.yaml, plugin.yaml]
-- base/app.yaml --
apiVersion: v1
kind: Service
metadata:
  name: app
---
# the second document
apiVersion: apps/v1
kind: Deployment
metadata:
  name: app
spec:
  replicas: 1
  template:
    spec:
      containers:
      - name: app
        image: app:1
-- base/plugin.yaml --
apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata:
  name: db
spec:
  create:
  - name: up
    script: |
      true
      false
-- component/kustomization.yaml --
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
images: [{name: app, newTag: "2"}]
-- staging/kustomization.yaml --
resources: [../base]
components: [../component]
configMapGenerator: [{name: generated, literals: [a=b]}]
patches:
- patch: |
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: app}
    spec: {replicas: 3, template: {spec: {serviceAccountName: x}}}
-- prefixed/kustomization.yaml --
namePrefix: a-
resources: [../base]
`

func TestKustomizePlaces(t *testing.T) {
	extract(t, overlay)
	read, err := built(t, "staging")
	require.NoError(t, err)
	require.Empty(t, read.Results())
	items := map[string]*krm.Item{}
	for _, d := range read.Documents {
		items[d.Item.Kind()] = d.Item
		_, found := d.Item.Annotation("config.kubernetes.io/origin")
		assert.False(t, found)
	}
	require.Len(t, items, 4)
	for _, c := range []struct {
		kind string
		path krm.Path
		want krm.Place
	}{
		{"Service", "metadata.name", krm.Place{File: "base/app.yaml", Line: 4, Column: 9}},
		{"Deployment", "metadata.name", krm.Place{File: "base/app.yaml", Line: 10, Column: 9}},
		{"Deployment", "spec.replicas", krm.Place{File: "base/app.yaml", Line: 12, Column: 13}},
		{"Deployment", "spec.template.spec.containers[0].image", krm.Place{File: "base/app.yaml", Line: 17, Column: 16}},
		{"Deployment", "spec.template.spec.serviceAccountName", krm.Place{File: "base/app.yaml", Line: 15, Column: 7}},
		{"ConfigMap", "metadata.name", krm.Place{File: "staging/kustomization.yaml"}},
	} {
		assert.Equal(t, c.want, items[c.kind].PlaceOf(c.path), "%s %s", c.kind, c.path)
	}
	image, _ := krm.Path("spec.template.spec.containers[0].image").Find(items["Deployment"].YNode())
	assert.Equal(t, "app:2", image.Value)
	place, known := items["ResourcePlugin"].PlaceInside("spec.create[0].script", 2, 1)
	assert.True(t, known)
	assert.Equal(t, krm.Place{File: "base/plugin.yaml", Line: 10, Column: 7}, place)
	assert.Contains(t, string(read.Text("base/app.yaml")), "# the second document")
}

// A renamed object has only its file as a place: another document may have that name.
func TestKustomizePlacesOfRenamedObjects(t *testing.T) {
	extract(t, overlay)
	read, err := built(t, "prefixed", "prefixed", "staging")
	require.NoError(t, err)
	require.Len(t, read.Documents, 3+4, "a folder is built once")
	assert.Equal(t, krm.Place{File: "base/app.yaml"}, read.Documents[0].Item.PlaceOf("metadata.name"))
}

func TestKustomizeKeepsOriginsThatAreAskedFor(t *testing.T) {
	extract(t, overlay+"-- top/kustomization.yaml --\nresources: [../base]\nbuildMetadata: [originAnnotations]\n")
	read, err := built(t, "top")
	require.NoError(t, err)
	origin, _ := read.Documents[0].Item.Annotation("config.kubernetes.io/origin")
	assert.Equal(t, "path: ../base/app.yaml\n", origin)
}

// Neither git nor the network is used, whatever a kustomization names. URL is that of a server that counts requests.
func TestKustomizeIsHermetic(t *testing.T) {
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	defer server.Close()
	programs := t.TempDir()
	const script = "#!/bin/sh\necho \"$0 $@\" >> \"$(dirname \"$0\")\"/called\n"
	for _, name := range []string{"git", "helm", "docker"} {
		require.NoError(t, os.WriteFile(filepath.Join(programs, name), []byte(script), 0o700))
	}
	t.Setenv("PATH", programs+string(os.PathListSeparator)+os.Getenv("PATH"))
	const remote, function, helm = `is remote`, `functions and plugins are not run`, `charts are not rendered`
	const builtin = "apiVersion: builtin, metadata: {name: x}, "
	for kustomization, want := range map[string]string{
		"resources: [URL/a.yaml]":                                                remote,
		"resources: ['URL/org/repo//path?ref=main']":                             remote,
		"resources: [HTTP://localhost/a.yaml]":                                   remote,
		"resources: ['https://github.com/org/repo//path?ref=v1']":                remote,
		"resources: [github.com/org/repo]":                                       remote,
		"resources: ['git::https://example.org/org/repo']":                       remote,
		"resources: ['git@example.org:org/repo.git']":                            remote,
		"resources: ['ssh://git@example.org/org/repo.git']":                      remote,
		"resources: ['file:///etc//x']":                                          remote,
		"resources: ['a@b:c/d']":                                                 remote,
		"bases: [URL/org/repo//path]":                                            remote,
		"components: ['https://example.org/org/repo.git']":                       remote,
		"resources: [below]":                                                     remote,
		"crds: [URL/a.yaml]":                                                     remote,
		"configurations: [URL/a.yaml]":                                           remote,
		"openapi: {path: URL/a.json}":                                            remote,
		"patches: [{path: URL/a.yaml, target: {kind: A}}]":                       remote,
		"patchesJson6902: [{path: URL/a.yaml, target: {name: A}}]":               remote,
		"patchesStrategicMerge: [URL/a.yaml]":                                    remote,
		"replacements: [{path: URL/a.yaml}]":                                     remote,
		"configMapGenerator: [{name: a, files: [URL/a]}]":                        remote,
		"configMapGenerator: [{name: a, files: [k=URL/a]}]":                      remote,
		"configMapGenerator: [{name: a, envs: [URL/a]}]":                         remote,
		"configMapGenerator: [{name: a, env: URL/a}]":                            remote,
		"secretGenerator: [{name: a, files: [URL/a]}]":                           remote,
		"generators: [URL/a.yaml]":                                               remote,
		"transformers: [URL/org/repo//path]":                                     remote,
		"transformers: ['{" + builtin + "kind: PatchTransformer, Path: URL/a}']": remote,
		"transformers: ['{" + builtin + "kind: ReplacementTransformer, replacements: [{path: URL/a}]}']": remote,
		"generators: ['{" + builtin + "kind: ConfigMapGenerator, files: [k=URL/a]}']":                    remote,
		"generators: ['{" + builtin + "kind: HelmChartInflationGenerator, repo: URL, name: y}']":         helm,
		"generators: [function.yaml]": function,
		"transformers: [functions]":   function,
		"transformers: [patched]":     "must list resources only",
		"validators: ['{apiVersion: example.org/v1, kind: Check, metadata: {name: x}}']": function,
		"helmCharts: [{name: minecraft, repo: URL}]":                                     helm,
		"helmChartInflationGenerator: [{chartName: x, chartRepoUrl: URL}]":               helm,
	} {
		extract(t, strings.ReplaceAll("-- kustomization.yaml --\n"+kustomization+`
-- below/Kustomization --
components: [URL/org/repo]
-- github.com/org/repo/kustomization.yaml --
namePrefix: a-
-- function.yaml --
apiVersion: v1
kind: A
metadata: {name: x, annotations: {config.kubernetes.io/function: "container: {image: x}"}}
-- functions/kustomization.yaml --
resources: [../function.yaml]
-- patched/kustomization.yaml --
namePrefix: a-
resources: [../function.yaml]
`, "URL", server.URL))
		_, err := built(t, ".")
		var unbuilt *load.KustomizeError
		require.ErrorAs(t, err, &unbuilt, kustomization)
		assert.True(t, unbuilt.Refused, "%s: %s", kustomization, err)
		assert.Regexp(t, want, err.Error(), kustomization)
		assert.Regexp(t, `^--kustomize .: .*ustomization(.yaml)?: `, err.Error(), "the file is named")
		assert.NotContains(t, err.Error(), "\n")
	}
	assert.Zero(t, requests.Load(), "requests were made")
	assert.NoFileExists(t, filepath.Join(programs, "called"))
	for _, folder := range []string{server.URL, "https://github.com/org/repo", "git@example.org:org/repo.git"} {
		_, err := built(t, folder)
		require.ErrorContains(t, err, "is remote", folder)
	}
}

// Builtins of kustomize are not functions, wherever they are configured.
func TestKustomizeRunsBuiltins(t *testing.T) {
	extract(t, overlay+`
-- top/kustomization.yaml --
resources: [../base]
transformers:
- names.yaml
- labels
- |
  apiVersion: builtin
  kind: AnnotationsTransformer
  metadata: {name: x}
  annotations: {home: "https://example.org"}
  fieldSpecs: [{path: metadata/annotations, create: true}]
-- top/names.yaml --
apiVersion: builtin
kind: PrefixTransformer
metadata: {name: x}
prefix: p-
fieldSpecs: [{path: metadata/name}]
-- top/labels/kustomization.yaml --
resources: [labels.yaml]
-- top/labels/labels.yaml --
apiVersion: builtin
kind: LabelTransformer
metadata: {name: x}
labels: {a: b}
fieldSpecs: [{path: metadata/labels, create: true}]
`)
	read, err := built(t, "top")
	require.NoError(t, err)
	require.Len(t, read.Documents, 3)
	item := read.Documents[0].Item
	assert.Equal(t, "p-app", item.Name())
	home, _ := item.Annotation("home")
	assert.Equal(t, "https://example.org", home)
}

// A kustomization that is wrong is an error in one line, never a panic; kustomize would not build it either.
func TestKustomizationsThatAreWrong(t *testing.T) {
	for name, archive := range map[string]string{
		"no folder":    "-- other --\n",
		"no file":      "-- k/other --\n",
		"not YAML":     "-- k/kustomization.yaml --\na: [\n",
		"empty":        "-- k/kustomization.yaml --\n",
		"unknown key":  "-- k/kustomization.yaml --\nresource: [a]\n",
		"two files":    "-- k/kustomization.yaml --\nnamePrefix: a\n-- k/Kustomization --\nnamePrefix: a\n",
		"no resource":  "-- k/kustomization.yaml --\nresources: [a.yaml]\n",
		"outside":      "-- k/kustomization.yaml --\nresources: [../a.yaml]\n-- a.yaml --\napiVersion: v1\nkind: A\nmetadata: {name: a}\n",
		"cycle":        "-- k/kustomization.yaml --\nresources: [../l]\n-- l/kustomization.yaml --\nresources: [../k]\n",
		"plugin cycle": "-- k/kustomization.yaml --\ngenerators: [../l]\n-- l/kustomization.yaml --\nresources: [../m]\n-- m/kustomization.yaml --\nresources: [../l]\n",
		"itself":       "-- k/kustomization.yaml --\nresources: [.]\n",
		"twice":        "-- k/kustomization.yaml --\nresources: [a.yaml, b.yaml]\n-- k/a.yaml --\napiVersion: v1\nkind: A\nmetadata: {name: a}\n-- k/b.yaml --\napiVersion: v1\nkind: A\nmetadata: {name: a}\n",
		"no object":    "-- k/kustomization.yaml --\nresources: [a.yaml]\n-- k/a.yaml --\na: b\n",
		"null entries": "-- k/kustomization.yaml --\nresources: [null]\npatches: [null]\n",
		"odd patch":    "-- k/kustomization.yaml --\nresources: [a.yaml]\npatches: [{patch: '- op: add'}]\n-- k/a.yaml --\napiVersion: v1\nkind: A\nmetadata: {name: a}\n",
		"odd metadata": "-- k/kustomization.yaml --\nresources: [a.yaml]\nnamePrefix: x\n-- k/a.yaml --\napiVersion: v1\nkind: A\nmetadata: [a]\n",
		"odd schema":   "-- k/kustomization.yaml --\nopenapi: {version: v0}\nresources: [a.yaml]\n-- k/a.yaml --\napiVersion: v1\nkind: A\nmetadata: {name: a}\n",
	} {
		extract(t, archive)
		_, err := built(t, "k")
		require.Error(t, err, name)
		assert.NotContains(t, err.Error(), "\n", name)
		var unbuilt *load.KustomizeError
		require.ErrorAs(t, err, &unbuilt, name)
		assert.False(t, unbuilt.Refused, name)
	}
}

// Hostile kustomizations are built or refused, the same way each time.
func FuzzKustomize(f *testing.F) {
	f.Add("resources: [a.yaml]\nnamePrefix: x-\n", "apiVersion: v1\nkind: A\nmetadata: {name: a}\n")
	f.Add("resources: [a.yaml]\npatches: [{patch: '[{op: remove, path: /metadata}]', target: {kind: A}}]\n", "apiVersion: v1\nkind: A\nmetadata: {name: a}\n")
	f.Add("generators: [a.yaml]\n", "apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: a}\nliterals: [a]\n")
	f.Add("resources: [a.yaml]\nreplicas: [{name: a, count: 1}]\nbuildMetadata: {a: b}\n", "apiVersion: v1\nkind: List\nitems: [{}]\n")
	f.Fuzz(func(t *testing.T, kustomization, object string) {
		t.Chdir(t.TempDir())
		require.NoError(t, os.WriteFile("kustomization.yaml", []byte(kustomization), 0o600))
		require.NoError(t, os.WriteFile("a.yaml", []byte(object), 0o600))
		first, err := built(t, ".")
		again, errAgain := built(t, ".")
		require.Equal(t, err == nil, errAgain == nil)
		if err == nil {
			require.Len(t, again.Documents, len(first.Documents))
		}
	})
}
