package overlay_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	kjson "sigs.k8s.io/json"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/overlay"
)

func TestPatchesOfDeploymentsThatFit(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "# nothing", "{}", `{"spec":{"template":{"spec":{"containers":[{"name":"main","ports":[{"containerPort":4242}]}]}}}}`,
		"spec: {replicas: 0, strategy: {type: Recreate, rollingUpdate: null}}",
		"spec: {template: {spec: {containers: [{name: side, $patch: delete}, {$patch: replace}]}}}",
		"spec: {template: {spec: {$retainKeys: [volumes], volumes: [], $setElementOrder/containers: [{name: a}]}}}",
		"metadata: {labels: {a: null}, annotations: {b: c}, $deleteFromPrimitiveList/finalizers: [x]}",
		"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {paused: true, selector: {matchLabels: {a: b}}}",
	} {
		assert.Empty(t, overlay.CheckDeploymentPatch(text), text)
	}
}

func TestPatchesOfDeploymentsThatDoNot(t *testing.T) {
	t.Parallel()
	cases := map[string][]string{
		"spec: {":               {"must be valid YAML: did not find expected node content"},
		"a: 1\n---\nb: 2":       {"line 2: must be one YAML document: a second one begins here"},
		"- op: add":             {`line 1: must be a mapping with "kind", "apiVersion", "metadata", "spec", "status", not a list`},
		"spec: {replica: 1}":    {`line 1: spec.replica: unknown key "replica": did you mean "replicas"?`},
		`spec: {replicas: "1"}`: {`line 1: spec.replicas: must be a whole number, not the string "1"`},
		"containers: []\nspec:\n  template:\n    containers: []": {
			`line 1: containers: unknown key "containers": must be one of "kind", "apiVersion", "metadata", "spec", "status"`,
			`line 4: spec.template.containers: unknown key "containers": must be one of "metadata", "spec"`,
		},
		"spec: {template: {spec: {containers: [{image: a}]}}}": {
			"line 1: spec.template.spec.containers[0].name: must be set",
		},
		"spec: {$patches: replace}": {`line 1: spec["$patches"]: unknown key "$patches": did you mean "$patch"?`},
	}
	for text, want := range cases {
		var got []string
		for _, problem := range overlay.CheckDeploymentPatch(text) {
			got = append(got, problem.String())
		}
		assert.Equal(t, want, got, text)
	}
}

// Whatever passes is a Deployment to the API server's strict decoder, where no directive of a merge is in it.
func FuzzDeploymentPatch(f *testing.F) {
	for _, text := range []string{
		"spec: {replicas: 1, template: {spec: {containers: [{name: a, ports: [{containerPort: 1}]}]}}}", "spec: &a {template: *a}",
		"{spec: {strategy: {rollingUpdate: {maxSurge: 10%}}}, metadata: {labels: {a: null}}}", "[]", "spec: {$patch: delete}",
		"kind: !!int \"a\\nb\"",
		"spec: {template: {spec: {volumes: [{name: a, $patch: delete}], $setElementOrder/volumes: [{name: a}]}}}",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		problems := overlay.CheckDeploymentPatch(text)
		for _, p := range problems {
			require.NotContains(t, p.String(), "\n")
		}
		if len(problems) > 0 || strings.Contains(text, "$") || strings.Contains(text, `\`) {
			return
		}
		asJSON, err := sigsyaml.YAMLToJSON([]byte(text))
		if err != nil || string(asJSON) == `""` {
			return // the older YAML reader refuses it, or takes a lone ! for a string
		}
		strict, err := kjson.UnmarshalStrict(asJSON, new(appsv1.Deployment))
		require.NoError(t, err, "%q", text)
		require.Empty(t, strict, "%q", text)
	})
}
