package sandbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

const (
	readSandbox = `apiVersion: resourceplugins.dev/v1alpha1
kind: Sandbox
metadata: {name: s}
spec: {cluster: c, resources: [{name: db, plugin: db@1.0.0, params: {size: "1"}}]}
`
	readSecret = `apiVersion: resourceplugins.dev/v1alpha1
kind: OutputSecret
metadata: {name: shop-db, namespace: shop}
spec: {sandbox: s, resource: db, data: {URL: make.url, link: make.url}}
`
	readingWeb = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    spec:
      initContainers:
      - name: migrate # before the new version
        env:
        - {name: DB, valueFrom: {secretKeyRef: {name: shop-db, key: URL}}}
      containers:
      - name: web
        env:
        - name: OTHER
          valueFrom: {secretKeyRef: {name: others, key: URL}}
        - name: link
          value: own
        envFrom:
        - {prefix: DB_, secretRef: {name: shop-db}}
        - {secretRef: {name: shop-db}}
        - {configMapRef: {name: settings}}
      volumes:
      - {name: all, secret: {secretName: shop-db}}
      - {name: one, secret: {secretName: shop-db, items: [{key: link, path: a}]}}
      - {name: mixed, projected: {sources: [{secret: {name: shop-db, items: [{key: URL, path: b}]}}]}}
`
)

// readersOf renders documents and returns the texts of the workloads that read outputs, with GEN in place of the generation.
func readersOf(t *testing.T, documents ...string) (texts []string, generation string) {
	t.Helper()
	all := list(t, documents...)
	summary, err := Render(all, DefaultOptions())
	require.NoError(t, err)
	require.False(t, all.Results().Failed(), all.Results())
	for _, item := range summary.Objects {
		text, err := item.Bytes()
		require.NoError(t, err)
		if _, rest, found := strings.Cut(string(text), "key: URL."); found {
			generation = rest[:12]
			texts = append(texts, strings.ReplaceAll(string(text), generation, "GEN"))
		}
	}
	assert.Equal(t, len(texts), summary.Readers)
	return texts, generation
}

// A container must not start before the outputs are published, however it reads them: each reference is to a key of the generation.
func TestRender_workloadsReadOneGeneration(t *testing.T) {
	t.Parallel()
	texts, _ := readersOf(t, publishing, readSandbox, readSecret, readingWeb)
	assert.Equal(t, []string{strings.NewReplacer(
		"{secretKeyRef: {name: shop-db, key: URL}}", "{secretKeyRef: {name: shop-db, key: URL.GEN}}",
		"        env:\n        - name: OTHER", `        env:
        - name: DB_URL
          valueFrom:
            secretKeyRef:
              key: URL.GEN
              name: shop-db
        - name: DB_link
          valueFrom:
            secretKeyRef:
              key: link.GEN
              name: shop-db
        - name: URL
          valueFrom:
            secretKeyRef:
              key: URL.GEN
              name: shop-db
        - name: OTHER`,
		"        - {prefix: DB_, secretRef: {name: shop-db}}\n        - {secretRef: {name: shop-db}}\n", "",
		"secret: {secretName: shop-db}}", "secret: {secretName: shop-db, items: [{key: URL.GEN, path: URL}, {key: link.GEN, path: link}]}}",
		"{key: link, path: a}", "{key: link.GEN, path: a}", "{key: URL, path: b}", "{key: URL.GEN, path: b}",
	).Replace(readingWeb)}, texts)
}

// The generation is that of the rendered Secret: it changes with the value, and doing it twice changes nothing.
func TestRender_workloadsFollowTheGeneration(t *testing.T) {
	t.Parallel()
	texts, before := readersOf(t, publishing, readSandbox, readSecret, readingWeb)
	for name, c := range map[string]struct {
		plugin, sandbox, secret, workload string
		isSame                            bool
	}{
		"rendered already": {publishing, readSandbox, readSecret, strings.ReplaceAll(texts[0], "GEN", before), true},
		"an earlier one":   {publishing, readSandbox, readSecret, strings.ReplaceAll(texts[0], "GEN", "aaaaaaaaaaaa"), true},
		"absent": {publishing, strings.Replace(readSandbox, "{name: s}", "{name: s, annotations: {resourceplugins.dev/state: absent}}", 1),
			readSecret, readingWeb, true},
		"another param":  {publishing, strings.Replace(readSandbox, `"1"`, `"2"`, 1), readSecret, readingWeb, false},
		"another script": {strings.Replace(publishing, "/bin/sh", "/bin/bash", 1), readSandbox, readSecret, readingWeb, false},
		"another key":    {publishing, readSandbox, strings.Replace(readSecret, "URL: make.url", "URL: make.url, more: make.url", 1), readingWeb, false},
	} {
		again, generation := readersOf(t, c.plugin, c.sandbox, c.secret, c.workload)
		require.Len(t, again, 1, name)
		assert.Equal(t, c.isSame, generation == before, name)
	}
}

// Workloads of another namespace, and those that read another Secret, keep their bytes.
func TestRender_leavesOtherWorkloads(t *testing.T) {
	t.Parallel()
	for name, workload := range map[string]string{
		"another namespace": strings.Replace(readingWeb, "namespace: shop", "namespace: other", 1),
		"another Secret":    strings.ReplaceAll(readingWeb, "shop-db", "shop-db2"),
	} {
		texts, _ := readersOf(t, publishing, readSandbox, readSecret, workload)
		assert.Empty(t, texts, name)
	}
}

// A suffix of kustomize changes the names of the documents before the function runs, and leaves the references to the old names.
func TestRender_workloadsFollowASuffix(t *testing.T) {
	t.Parallel()
	suffixed := strings.Replace(readSecret, "{name: shop-db, namespace: shop}",
		"{name: shop-db-7, namespace: shop, annotations: {internal.config.kubernetes.io/previousNames: shop-db}}", 1)
	texts, _ := readersOf(t, publishing, readSandbox, suffixed, readingWeb)
	require.Len(t, texts, 1)
	assert.Equal(t, 7, strings.Count(texts[0], ": shop-db-7"), texts[0])
	assert.NotContains(t, texts[0], "shop-db}")
}

// All kinds of workloads are found.
func TestRender_kindsThatRead(t *testing.T) {
	t.Parallel()
	container := "{containers: [{name: a, env: [{name: A, valueFrom: {secretKeyRef: {name: shop-db, key: URL}}}]}]}"
	for kind, spec := range map[string]string{
		"StatefulSet": "{template: {spec: C}}", "DaemonSet": "{template: {spec: C}}", "ReplicaSet": "{template: {spec: C}}",
		"Job": "{template: {spec: C}}", "Rollout": "{template: {spec: C}}", "Pod": "C",
		"CronJob": "{jobTemplate: {spec: {template: {spec: C}}}}",
	} {
		workload := "apiVersion: v1\nkind: " + kind + "\nmetadata: {name: a, namespace: shop}\nspec: " + strings.Replace(spec, "C", container, 1) + "\n"
		texts, _ := readersOf(t, publishing, readSandbox, readSecret, workload)
		assert.Len(t, texts, 1, kind)
	}
}

// A Pod would wait for ever for a key that the Secret does not have.
func TestRender_unknownKeyOfOutputSecret(t *testing.T) {
	t.Parallel()
	for change, want := range map[string]string{
		"URI":      `must be a key of the OutputSecret "shop-db", not "URI": did you mean "URL"?`,
		"password": `must be a key of the OutputSecret "shop-db", not "password": "URL", "link"`,
	} {
		all := list(t, publishing, readSandbox, readSecret, strings.Replace(readingWeb, "key: URL", "key: "+change, 1))
		_, err := Render(all, DefaultOptions())
		require.NoError(t, err)
		require.Len(t, all.Results(), 1)
		assert.Equal(t, want, all.Results()[0].Message)
		assert.Equal(t, "spec.template.spec.initContainers[0].env[0].valueFrom.secretKeyRef.key", all.Results()[0].Field.Path)
	}
}

// Without the plugin no generation is known.
func TestRender_outputSecretWithoutPlugin(t *testing.T) {
	t.Parallel()
	all := list(t, readSandbox, readSecret, readingWeb)
	_, err := Render(all, DefaultOptions())
	require.NoError(t, err)
	require.True(t, all.Results().Failed())
	assert.Equal(t, krm.Error, all.Results()[0].Severity)
	assert.Contains(t, all.Results()[0].Message, "whose plugin is in the list")
	assert.Equal(t, contract.OutputSecret, all.Results()[0].ResourceRef.Kind)
}
