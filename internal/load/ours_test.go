package load_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

const (
	noDocument  = "neither a Kubernetes object nor a native document (name, spec)"
	noYAML      = "not valid YAML"
	noJSON      = "not valid JSON"
	isTemplate  = "a template of another tool ({{ }})"
	unsupported = " of Signadot: not supported, so it is neither checked nor rendered"
)

// skipped returns the skipped files and documents as lines, with paths below dir.
func skipped(p *load.Package, dir string) []string {
	lines := []string{}
	for _, s := range p.Skipped {
		lines = append(lines, strings.ReplaceAll(fmt.Sprintf("%s:%d: %s", s.File, s.Line, s.Reason), dir+"/", ""))
	}
	return lines
}

// Files for other tools in a folder are skipped, whatever their form.
func TestReadSkipsFilesOfOtherTools(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, text, want string }{
		"a values.yaml": {
			"values.yaml", "name: web\nspec:\n  replicas: 2\n  resources: {limits: {cpu: 1}}\n  labels: {a: b}\n", "1: " + noDocument,
		},
		"a values.yaml with a cluster": {
			"values.yaml", "name: web\nimage: nginx\nspec: {cluster: a, replicas: 2, hosts: []}\n", "1: " + noDocument,
		},
		"an empty spec":            {"a.yaml", "name: web\nspec:\n", "1: " + noDocument},
		"a spec that is a list":    {"a.yaml", "name: web\nspec: [a]\n", "1: " + noDocument},
		"a package.json":           {"package.json", `{"name": "web", "version": "1.0.0", "scripts": {}}`, "1: " + noDocument},
		"JSON with comments":       {"tsconfig.json", "{\n  // a comment\n  \"files\": [],\n}\n", "1: " + noJSON},
		"JSON with a spec":         {"a.json", "{\n  // a comment\n  \"name\": \"a\", \"spec\": {\"specs\": []},, \"c\": 1\n}", "1: " + noJSON},
		"a list":                   {"a.json", `[{"name": "a", "spec": {"cluster": "b"}}]`, "1: " + noDocument},
		"a workflow":               {"ci.yaml", "name: ci\non: [push]\njobs: {a: {steps: [{run: echo ${{ x }}}]}}\n", "1: " + noDocument},
		"a part of a Pod":          {"pod.yaml", "spec:\n  containers: [{name: a}]\n", "1: " + noDocument},
		"a kind without a version": {"a.yaml", "# a\nkind: Sandbox\nspec: {podTemplate: {}}\n", "2: " + noDocument},
		"half a native document":   {"a.yaml", "name: a\nspec: {description: b}\n", "1: " + noDocument},
		"a Helm template": {
			"a.yaml", "apiVersion: resourceplugins.dev/v1alpha1\nkind: Sandbox\nmetadata:\n  name: {{ .Values.name }}\n" +
				"spec: {cluster: a}\n", "1: " + isTemplate,
		},
		"a Helm template with actions": {
			"a.yaml", "{{- if .Values.on }}\nname: a\nspec:\n  cluster: {{ .Values.cluster }}\n{{- end }}\n", "1: " + isTemplate,
		},
		"a Helm template with text": {"a.yaml", "name: a\nspec:\n  cluster: a\n{{ include \"labels\" . }}\n", "1: " + isTemplate},
		"a binary":                  {"a.yaml", "\x00\x01\x02", "0: not text"},
		"Latin 1":                   {"a.yaml", "author: J\xf6rg\n", "0: not text"},
		"broken":                    {"a.yaml", "a: [\n", "1: " + noDocument},
		"broken, with a spec":       {"a.yaml", "image: a\nspec: [\n", "1: " + noYAML},
		"broken, an object":         {"a.yaml", "apiVersion: v1\nkind: Pod\nname: a\nspec: [\n  cluster: a\n", "1: " + noYAML},
		"a list of KRM functions":   {"a.yaml", "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: none\n", ""},
		"a job of the vendor":       {"job.yaml", "spec:\n  runnerGroup: a\n  script: |\n    #!/bin/sh\n", "1: Job" + unsupported},
		"a runner of the vendor": {
			"runner.yaml", "name: '@{runner}'\nspec:\n  cluster: '@{cluster}'\n  jobTimeout: 15m\n  image: ubuntu\n" +
				"  labels: {a: b}\n  scaling: {manual: {desiredPods: 1}}\n", "1: JobRunnerGroup" + unsupported,
		},
		"a test of the vendor":  {"test.yaml", "name: a\nspec:\n  script: b\n  triggers: []\n", "1: Test" + unsupported},
		"a plan of the vendor":  {"plan.yaml", "name: a\nspec:\n  params: []\n  steps: []\n", "1: Plan" + unsupported},
		"the vendor's settings": {".signadot/config.yaml", "smart_tests:\n- tests\n", "1: settings" + unsupported},
	} {
		dir := folder(t, "")
		nativeWrite(t, filepath.Join(dir, c.file), c.text)
		read, err := load.Read([]string{dir}, load.Options{})
		require.NoError(t, err, name)
		assert.Empty(t, told(read, dir), name)
		assert.Empty(t, names(read, dir), name)
		if c.want == "" {
			assert.Empty(t, read.Skipped, name)
			continue
		}
		assert.Equal(t, []string{c.file + ":" + c.want}, skipped(read, dir), name)

		// A file that is named is not skipped.
		read, err = load.Read([]string{filepath.Join(dir, c.file)}, load.Options{})
		require.NoError(t, err, name)
		assert.Empty(t, read.Skipped, name)
		assert.NotEmpty(t, append(told(read, dir), names(read, dir)...), name)
	}
}

// A broken document that is meant for us is an error in a folder, too.
func TestReadReportsBrokenDocumentsOfOurs(t *testing.T) {
	t.Parallel()
	const syntax = "error must be valid YAML: did not find expected node content"
	for name, c := range map[string]struct{ text, want string }{
		"an object":               {"apiVersion: resourceplugins.dev/v1alpha1\nkind: [\n", "2:1: " + syntax},
		"an object in JSON":       {"{\"apiVersion\": \"resourceplugins.dev/v1alpha1\", \"kind\": [\n", "1:1: " + syntax},
		"in a list":               {"kind: List\nitems:\n- apiVersion: 'resourceplugins.dev/v1alpha1'\n  kind: [\n", "4:3: " + syntax},
		"an object of the vendor": {"apiVersion: signadot.com/v1\nkind: [\n", "2:1: " + syntax},
		"executable":              {"#!/usr/bin/env signadot sandbox apply -f\nname: [\n", "2:1: " + syntax},
		"a native document":       {"name: a\nspec: [\n", "2:1: " + syntax},
		"with keys of ours":       {"name: a\nother: b\nspec:\n  forks: [\n", "4:3: " + syntax},
		"with a directive":        {"name: a\nother: b\nspec:\n  a: ['@{b}'\n", "3:1: error must be valid YAML: did not find expected ',' or ']'"},
		"braces in a script": {
			"name: a\nspec:\n  create:\n  - script: |\n      {{ .Values.x }}\n    inputs: [\n", "6:5: " + syntax,
		},
		"braces in a string":       {"name: a\nspec:\n  forks: ['{{ .Host }}', [\n", "3:3: " + syntax},
		"a document beside ours":   {"name: a\nspec: {cluster: b}\n---\na: [\n", "4:1: " + syntax},
		"NUL":                      {"name: a\nspec: \x00\n", "2:7: error must be text: it holds a NUL byte"},
		"UTF-16":                   {"\xff\xfen\x00a\x00m\x00e\x00:\x00a\x00\n\x00s\x00p\x00e\x00c\x00:\x00", "1:1: error must be UTF-8, not UTF-16"},
		"no kind":                  {"apiVersion: resourceplugins.dev/v1alpha1\nspec: {}\n", "1:1: error kind must be set: an object of resourceplugins.dev must have one"},
		"no apiVersion":            {"kind: Sandbox\nmetadata: {name: a}\nspec: {resources: [{plugin: b}]}\n", `1:1: error Sandbox/a apiVersion looks like a Sandbox: apiVersion must be "resourceplugins.dev/v1alpha1"`},
		"a list of ours":           {"apiVersion: v1\nkind: List\nitems:\n- apiVersion: resourceplugins.dev/v1alpha1\n  kind: Sandbox\n- 1\n", "6:3: error items[1] of a List must be a mapping"},
		"keys of two kinds":        {"name: a\nspec: {runner: {image: b}, forks: [{forkOf: {}}]}\n", "2:7: error spec must be that of one kind: it has keys of a ResourcePlugin and of a Sandbox"},
		"a misspelled key, broken": {"name: a\nspec:\n  runer: [\n", "3:3: " + syntax},
	} {
		dir := folder(t, "")
		nativeWrite(t, filepath.Join(dir, "a.yaml"), c.text)
		read, err := load.Read([]string{dir}, load.Options{})
		require.NoError(t, err, name)
		assert.Equal(t, []string{"a.yaml:" + c.want}, told(read, dir), name)
		assert.Empty(t, read.Skipped, name)
	}
}

// A document of ours with one mistake below its first keys is read in a folder as it is if it is named.
func TestReadSkipsNoDocumentOfOursForOneMistake(t *testing.T) {
	t.Parallel()
	checkout.Slow(t, "reads every document with every mistake")
	for _, text := range []string{
		"name: hello-db@1.0.0\nspec:\n  runner:\n    image: ubuntu\n  create:\n  - name: hello\n    script: |\n" +
			"      #!/bin/sh\n      echo '{{ x }}'\n    outputs:\n    - name: \"o\"\n      valueFromPath: '/tmp/o'\n",
		"name: \"feature-x\"\nspec:\n  cluster: staging\n  labels: {a: b}\n  resources:\n  - name: db\n" +
			"    plugin: hello-db@1.0.0\n    params: {dbname: 'test'}\n",
		"apiVersion: resourceplugins.dev/v1alpha1\nkind: Sandbox\nspec:\n  cluster: \"a\"\n" +
			"  forks: [{forkOf: {kind: Deployment, name: a, namespace: b}}]\n",
	} {
		for i := strings.Index(text, "spec:\n") + len("spec:\n"); i < len(text); i++ {
			for change, mutant := range map[string]string{
				"without": text[:i] + text[i+1:], "a tab before": text[:i] + "\t" + text[i:], "a quote before": text[:i] + "'" + text[i:],
				"a bracket before": text[:i] + "[" + text[i:], "a colon before": text[:i] + ": " + text[i:],
			} {
				dir := t.TempDir()
				file := filepath.Join(dir, "a.yaml")
				nativeWrite(t, file, mutant)
				named, err := load.Read([]string{file}, load.Options{})
				require.NoError(t, err)
				found, err := load.Read([]string{dir}, load.Options{})
				require.NoError(t, err)
				assert.Equal(t, told(named, dir), told(found, dir), "%s byte %d: %s", change, i, mutant)
				assert.Equal(t, names(named, dir), names(found, dir), "%s byte %d: %s", change, i, mutant)
			}
		}
	}
}

// Documents of a format's groups are ours: their problems are findings in a folder, too.
func TestRead_reportsDocumentsOfFormats(t *testing.T) {
	t.Parallel()
	dir := folder(t, `
-- broken.yaml --
apiVersion: things.example.org/v1
kind: Thing
spec: {
-- list.yaml --
apiVersion: v1
kind: List
items: [{apiVersion: things.example.org/v1, kind: Thing, metadata: {name: in-list}}]
-- other.yaml --
apiVersion: other.example.org/v1
kind: Thing
spec: {
`)
	format := load.Format{Groups: []load.Group{{Name: "things.example.org", Kinds: []string{"Thing"}}}}
	read, err := load.Read([]string{dir}, load.Options{Formats: []load.Format{format}})
	require.NoError(t, err)
	assert.Equal(t, []string{"broken.yaml:3:1: error must be valid YAML: did not find expected node content"}, told(read, dir))
	assert.Equal(t, []string{"other.yaml:1: " + noYAML}, skipped(read, dir))
	assert.Equal(t, []string{"Thing in-list list.yaml"}, names(read, dir))

	for item, want := range map[string]bool{
		"apiVersion: things.example.org/v2\nkind: Thing": true, "apiVersion: things.example.org/v1\nkind: Other": false,
		"apiVersion: example.org/v1\nkind: Thing": false,
	} {
		parsed, err := krm.NewItem([]byte(item))
		require.NoError(t, err)
		assert.Equal(t, want, format.Has(parsed), item)
	}
}
