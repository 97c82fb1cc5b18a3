package sandbox

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

const publishing = `apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata: {name: db@1.0.0}
spec:
  runner: {image: busybox, namespace: shop}
  create:
  - name: make
    script: "#!/bin/sh\n"
    inputs: [{name: size, valueFromSandbox: true, as: {env: SIZE}}]
    outputs: [{name: url, valueFromPath: /tmp/url}]
`

// forkReading is a sandbox with a fork that reads an output.
func forkReading(outputKey, size, annotations string) string {
	return fmt.Sprintf(`apiVersion: resourceplugins.dev/v1alpha1
kind: Sandbox
metadata: {name: s, annotations: {%s}}
spec:
  cluster: c
  resources: [{name: db, plugin: db@1.0.0, params: {size: %q}}]
  forks:
  - forkOf: {kind: Deployment, namespace: shop, name: web}
    customizations: {env: [{name: URL, valueFrom: {resource: {name: db, outputKey: %s}}}]}
`, annotations, size, outputKey)
}

// keyOfFork returns the key that the rendered fork reads, and the warnings.
func keyOfFork(t *testing.T, documents ...string) (key string, warnings []string) {
	t.Helper()
	all := list(t, append([]string{routedService80, routedWeb}, documents...)...)
	summary, err := Render(all, DefaultOptions())
	require.NoError(t, err)
	require.False(t, all.Results().Failed(), all.Results())
	for _, result := range all.Results() {
		if result.Severity == krm.Warning {
			warnings = append(warnings, result.Message)
		}
	}
	for _, item := range summary.Objects {
		if item.Kind() != deployment {
			continue
		}
		o, err := render.ReadObject(item)
		require.NoError(t, err)
		env := children(children(o, "spec", "template", "spec", "containers")[0], "env")
		for _, variable := range env {
			if text(variable, "name") == "URL" {
				key = text(variable, "valueFrom", "secretKeyRef", "key")
				assert.Equal(t, contract.OutputSecretName(contract.DeriveSandboxID("c", "s"), "db", "make"),
					text(variable, "valueFrom", "secretKeyRef", "name"), "the Secret keeps its name")
			}
		}
	}
	return key, warnings
}

// A fork refers to the generation that the create phase publishes: its template changes with the value.
func TestRender_forksReadOneGeneration(t *testing.T) {
	t.Parallel()
	key, warnings := keyOfFork(t, publishing, forkReading("make.url", "1", ""))
	assert.Empty(t, warnings)
	for name, c := range map[string]struct {
		plugin, sandbox string
		isSame          bool
	}{
		"the output alone":   {publishing, forkReading("url", "1", ""), true},
		"another param":      {publishing, forkReading("make.url", "2", ""), false},
		"another script":     {strings.Replace(publishing, "/sh", "/ash", 1), forkReading("make.url", "1", ""), false},
		"an own routing key": {publishing, forkReading("make.url", "1", "resourceplugins.dev/routing-key: mine"), false},
	} {
		other, warnings := keyOfFork(t, c.plugin, c.sandbox)
		assert.Empty(t, warnings, name)
		assert.Equal(t, c.isSame, key == other, name)
	}
}

// The key of a fork is one that the step publishes, whatever the generation depends on.
func TestRender_forksReadWhatIsPublished(t *testing.T) {
	t.Parallel()
	for _, annotations := range []string{"", "resourceplugins.dev/routing-key: mine"} {
		document := forkReading("make.url", "3", annotations)
		key, _ := keyOfFork(t, publishing, document)
		phases := list(t, publishing, document)
		summary, err := render.Phases(phases, render.DefaultOptions())
		require.NoError(t, err)
		found := 0
		for _, item := range summary.Objects {
			generation, _ := item.Annotation(contract.GenerationKey)
			content, err := item.Bytes()
			require.NoError(t, err)
			switch item.Kind() {
			case "Secret":
				assert.Equal(t, contract.WorkloadKey("url", generation), key)
			case "Job":
				assert.Contains(t, string(content), `"outputs":[{"name":"url","path":"/tmp/url","workloads":true}]`)
			default:
				continue
			}
			found++
		}
		assert.Equal(t, 2, found)
	}
}

// Without the plugin the generation is not known: the fork reads outputs that any render has published.
func TestRender_forksWithoutPlugin(t *testing.T) {
	t.Parallel()
	key, warnings := keyOfFork(t, forkReading("make.url", "1", ""))
	assert.Equal(t, "url", key)
	assert.Empty(t, warnings)
}
