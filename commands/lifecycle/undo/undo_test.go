package undo_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/commands/lifecycle/undo"
	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

const plugin = `apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata:
  name: hello@1.0.0
spec:
  runner: {image: "alpine:3.22", namespace: tools}
  create:
  - name: make
    inputs:
    - name: word
      valueFromSandbox: true
      as: {env: WORD}
    script: |
      #!/bin/sh
      echo "$WORD" > /tmp/name
    outputs:
    - name: name
      valueFromPath: /tmp/name
  delete:
  - name: drop
    inputs:
    - name: name
      valueFromStep: {name: make, output: name}
      as: {env: NAME}
    script: |
      #!/bin/sh
      true
`

const sandboxes = `apiVersion: resourceplugins.dev/v1alpha1
kind: Sandbox
metadata:
  name: %s
  annotations: {a: b%s}
spec:
  cluster: demo
  resources:
  - name: db
    plugin: hello@1.0.0
    params: {word: canary}
`

func items(t *testing.T, texts ...string) *krm.ResourceList {
	t.Helper()
	list := krm.NewList()
	for _, text := range texts {
		item, err := krm.NewItem([]byte(text))
		require.NoError(t, err)
		list.Append(item)
	}
	return list
}

func options() render.Options {
	o := render.DefaultOptions()
	o.Undo, o.WithoutPaths = true, true
	return o
}

// rendered renders as render-phase does.
func rendered(t *testing.T, list *krm.ResourceList, o render.Options) renderphase.Output {
	t.Helper()
	_, err := render.Phases(list, o)
	require.NoError(t, err)
	found, err := undo.Extension().Renderer.Render(list, o)
	require.NoError(t, err)
	return found
}

// unpack returns the delete phase of a ConfigMap.
func unpack(t *testing.T, item *krm.Item) string {
	t.Helper()
	object, err := render.ReadObject(item)
	require.NoError(t, err)
	data, err := base64.StdEncoding.DecodeString(object["binaryData"].(map[string]any)[undo.DataKey].(string))
	require.NoError(t, err)
	reader, err := gzip.NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	text, err := io.ReadAll(reader)
	require.NoError(t, err)
	return string(text)
}

// The ConfigMap has the objects that would be rendered if the sandbox were absent, byte for byte, and only those of
// this sandbox.
func TestTeardownIsTheDeletePhase(t *testing.T) {
	t.Parallel()
	list := items(t, plugin, fmt.Sprintf(sandboxes, "one", ""), fmt.Sprintf(sandboxes, "two", ""))
	found := rendered(t, list, options())
	require.Empty(t, list.Results().Failed())
	require.Len(t, found.Objects, 2)
	assert.Equal(t, "2 teardowns", found.Text)
	for i, name := range []string{"one", "two"} {
		absent := items(t, plugin, fmt.Sprintf(sandboxes, name, ", resourceplugins.dev/state: absent"))
		o := render.DefaultOptions()
		o.WithoutPaths = true
		summary, err := render.Phases(absent, o)
		require.NoError(t, err)
		var want []string
		for _, item := range summary.Objects {
			text, err := item.Bytes()
			require.NoError(t, err)
			want = append(want, string(text))
		}
		got := unpack(t, found.Objects[i])
		assert.ElementsMatch(t, want, strings.Split(got, "---\n"))
		assert.NotContains(t, got, "canary")
		assert.Equal(t, "tools", found.Objects[i].Namespace())
	}
}

func TestNoTeardown(t *testing.T) {
	t.Parallel()
	one := fmt.Sprintf(sandboxes, "one", "")
	for name, change := range map[string]func(*render.Options){
		"the option is off":        func(o *render.Options) { o.Undo = false },
		"only the delete phase":    func(o *render.Options) { o.Phases = []string{"delete"} },
		"a sandbox of another one": func(o *render.Options) { o.Cluster = "other" },
	} {
		o := options()
		change(&o)
		assert.Empty(t, rendered(t, items(t, plugin, one), o).Objects, name)
	}
	assert.Empty(t, rendered(t, items(t, plugin, fmt.Sprintf(sandboxes, "one", ", resourceplugins.dev/state: absent")), options()).Objects)
	empty := strings.Split(one, "  resources:")[0]
	assert.Empty(t, rendered(t, items(t, plugin, empty), options()).Objects)
}

// It is kept when the sandbox is not rendered any more, with all tools that remove objects.
func TestTeardownIsKept(t *testing.T) {
	t.Parallel()
	for tool, want := range map[string]string{
		"argocd": "Prune=false,Delete=false", "flux": "kustomize.toolkit.fluxcd.io/prune: disabled", "helm": "helm.sh/resource-policy: keep",
		"kpt": "cli-utils.sigs.k8s.io/on-remove: keep",
	} {
		o := options()
		o.Delivery = tool
		text, err := rendered(t, items(t, plugin, fmt.Sprintf(sandboxes, "one", "")), o).Objects[0].Bytes()
		require.NoError(t, err)
		assert.Contains(t, string(text), want)
	}
}

// In a package, a second run replaces the objects of the first, and removes those of absent sandboxes.
func TestTeardownIsReplaced(t *testing.T) {
	t.Parallel()
	o := options()
	o.WithoutPaths = false
	list := items(t, plugin, fmt.Sprintf(sandboxes, "one", ""))
	before := unpack(t, rendered(t, list, o).Objects[0])
	count := len(list.Items())
	again := rendered(t, list, o)
	assert.Len(t, list.Items(), count)
	assert.Equal(t, before, unpack(t, again.Objects[0]))
	o.StepTimeoutSeconds = 7
	assert.NotEqual(t, before, unpack(t, rendered(t, list, o).Objects[0]))
	assert.Len(t, list.Items(), count)
	list.Of("resourceplugins.dev/v1alpha1", "Sandbox")[0].Annotate("resourceplugins.dev/state", "absent")
	assert.Empty(t, rendered(t, list, o).Objects)
	for _, item := range list.Items() {
		assert.NotContains(t, item.Name(), "teardown")
	}
}

// A teardown that does not fit is an error, and not cut.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	var script strings.Builder
	for range 40_000 {
		fmt.Fprintf(&script, "      # %016x%016x\n", random.Uint64(), random.Uint64())
	}
	large := strings.Replace(plugin, "      true\n", "      true\n"+script.String()[:900_000], 1)
	var resources strings.Builder
	var plugins []string
	for i := range 3 {
		plugins = append(plugins, strings.NewReplacer("hello@", fmt.Sprintf("hello%d@", i), "      true\n", fmt.Sprintf("      true %d\n", i)).Replace(large))
		fmt.Fprintf(&resources, "  - {name: r%d, plugin: hello%d@1.0.0, params: {word: a}}\n", i, i)
	}
	one := strings.Split(fmt.Sprintf(sandboxes, "one", ""), "  - name: db")[0] + resources.String()
	list := items(t, append(plugins, one)...)
	assert.Empty(t, rendered(t, list, options()).Objects)
	require.True(t, list.Results().Failed())
	assert.Contains(t, fmt.Sprint(list.Results()), "the teardown must have at most 1 MiB when it is compressed, not")
}

// A thousand sandboxes: the size of a teardown is reported.
func TestManySandboxes(t *testing.T) {
	t.Parallel()
	texts := []string{plugin}
	for i := range 1000 {
		texts = append(texts, fmt.Sprintf(sandboxes, fmt.Sprintf("s%d", i), ""))
	}
	found := rendered(t, items(t, texts...), options())
	require.Len(t, found.Objects, 1000)
	bytes := 0
	for _, item := range found.Objects {
		text, err := item.Bytes()
		require.NoError(t, err)
		bytes += len(text)
	}
	t.Logf("%d bytes a sandbox", bytes/1000)
	assert.Less(t, bytes/1000, 8<<10)
}
