package htmlreport_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// jsonText writes a text as JSON, which is YAML, too.
func jsonText(text string) string {
	encoded, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(encoded)
}

const plugin = `apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata: {name: pp@1.0.0}
spec:
  runner: {image: alpine}
  create:
  - name: one
    inputs:
    - {name: pass, valueFromSandbox: true}
    - {name: file, valueFromSandbox: true, as: {path: /run/file}}
    script: "#!/bin/sh"
    outputs: [{name: out, valueFromPath: /out}]
---
`

const baseline = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: web
        env: [{name: OF_BASELINE, value: canary-baseline}]
---
`

func sandbox(spec string) string {
	return "apiVersion: resourceplugins.dev/v1alpha1\nkind: Sandbox\nmetadata: {name: s}\nspec:\n  cluster: c\n" + spec
}

// The values of params, variables, patches and Secrets are nowhere in a page, however they are written, and whatever is
// wrong with them or near them. With --show-values they are there.
func TestValuesAreHidden(t *testing.T) {
	t.Parallel()
	const resource = "  resources:\n  - name: r\n    plugin: pp@1.0.0\n"
	forks := "  forks:\n  - forkOf: {kind: Deployment, namespace: shop, name: web}\n    customizations:\n"
	for name, text := range map[string]string{
		"rendered":           plugin + sandbox(resource+"    params: {pass: canary-1, file: canary-2}\n"),
		"a block":            plugin + sandbox(resource+"    params:\n      pass: |\n        canary-1: x\n        canary-2\n      file: x\n"),
		"folded":             plugin + sandbox(resource+"    params:\n      pass: canary-1\n        canary-2\n      file: \"canary-3\n        canary-4\"\n"),
		"an anchor":          plugin + sandbox("  x: &a canary-1\n"+resource+"    params: {pass: *a, file: x}\n"),
		"dollars and quotes": plugin + sandbox(resource+"    params: {pass: 'canary-1$(x)\"', file: 'canary-2''$$'}\n"),
		"a name of ours": strings.Replace(plugin, "as: {path: /run/file}", "as: {env: RESOURCEPLUGINS_PLAN}", 1) +
			sandbox(resource+"    params: {pass: canary-1, file: canary-2}\n"),
		"an unknown param":   plugin + sandbox(resource+"    params:\n      pass: canary-1\n      file: canary-2\n      fil: canary-3\n"),
		"a number":           plugin + sandbox(resource+"    params:\n      pass: 7346531\n      file: canary-2\n"),
		"a list":             plugin + sandbox(resource+"    params:\n      pass: [canary-1, {x: canary-2}]\n      file: canary-2\n"),
		"a scalar":           plugin + sandbox(resource+"    params: canary-1\n"),
		"a repeated key":     plugin + sandbox(resource+"    params:\n      pass: canary-1\n      pass: canary-2\n"),
		"an error near it":   plugin + sandbox("  resources:\n  - name: r\n    params: {pass: canary-1, file: canary-2}\n    plugin: pp@^^\n"),
		"not YAML":           plugin + "---\n" + sandbox(resource+"    params:\n      pass: \"canary-1\n  x: [\n"),
		"a tab":              plugin + "---\n" + sandbox(resource+"    params:\n      pass: canary-1\n\tfile: canary-2\n"),
		"a wrong apiVersion": plugin + strings.Replace(sandbox(resource+"    params:\n      pass: canary-1\n"), "/v1alpha1", "/v1", 1),
		"forks": baseline + sandbox(forks+"      env:\n      - {name: A, value: canary-1}\n      - name: B\n        value: |\n"+
			"          canary-2\n      patch:\n        type: strategic\n        value: |\n          spec:\n            template:\n"+
			"              spec:\n                containers:\n                - name: web\n                  env: [{name: C, value: canary-3}]\n"),
		"a fork with an error": sandbox(forks + "      env:\n      - {name: A-, value: canary-1}\n      - {name: B, value: 73465311}\n" +
			"      patch: {type: odd, value: canary-2}\n"),
		"local": sandbox("  local:\n  - name: l\n    from: {kind: Deployment, namespace: shop, name: web}\n    mappings: []\n" +
			"    env: [{name: A, value: canary-1}]\n    files: [{path: x, value: canary-2}]\n"),
		"a Secret": "apiVersion: v1\nkind: Secret\nmetadata: {name: x}\nstringData: {a: canary-1}\ndata: {b: canary-2}\n---\n" +
			sandbox("  resource: x\n"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := folder(t, map[string]string{"all.yaml": text})
			got := page(t, dir)
			assertHarmless(t, got)
			for n := range 4 {
				assert.NotContains(t, got, fmt.Sprintf("canary-%d", n+1))
			}
			assert.NotContains(t, got, "canary-baseline")
			if name == "rendered" || name == "forks" {
				assert.Contains(t, got, "value: (hidden)", "it is rendered")
			}
			assert.NotContains(t, got, "734653")
		})
	}
}

// With an engine, params are in a ConfigMap, and variables can be in a patch, which is a text.
func TestValues_engines(t *testing.T) {
	t.Parallel()
	overlay := "spec: {containers: [{name: main, env: [{name: A, value: 'canary-3 {{x}}'}, {name: B, value: canary-4}]}]}"
	text := strings.Replace(plugin, "{image: alpine}", "{image: alpine, podTemplateOverlay: \"OVERLAY\"}", 1) +
		sandbox("  resources:\n  - name: r\n    plugin: pp@1.0.0\n    params: {pass: canary-1, file: canary-2}\n")
	for name, overlay := range map[string]string{"argo": overlay, "tekton": strings.Replace(overlay, "{{x}}", "", 1)} {
		dir := folder(t, map[string]string{"all.yaml": strings.Replace(text, "OVERLAY", overlay, 1)})
		got := page(t, "--engine", name, dir)
		for n := range 4 {
			assert.NotContains(t, got, fmt.Sprintf("canary-%d", n+1), name)
		}
		assert.Contains(t, got, "pass: (hidden)", name)
		assert.Contains(t, got, "SIGNADOT_SANDBOX_NAME: s", name)
	}
}

func TestShowValues(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"all.yaml": plugin +
		sandbox("  resources:\n  - name: r\n    plugin: pp@1.0.0\n    params: {pass: canary-1, file: canary-2}\n")})
	got := page(t, "--show-values", dir)
	assert.Equal(t, 2, strings.Count(got, "canary-1"), "the sandbox and the Job")
	assert.Equal(t, 2, strings.Count(got, "canary-2"), "the sandbox and the ConfigMap")
	assert.NotContains(t, got, "(hidden)")
	assert.Contains(t, page(t, dir), "value: (hidden)")
}
