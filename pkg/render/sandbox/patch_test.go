package sandbox_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/overlay"
	"github.com/resource-plugins/krm-functions/pkg/render/sandbox"
)

// Comments and the order of keys stay where they are.
func TestCommentsAndOrderStay(t *testing.T) {
	t.Parallel()
	const text = "# head\nkind: Deployment # a\nspec:\n  # above\n  replicas: 2 # why two\n  paused: false\n" +
		"  template:\n    spec:\n      containers:\n        # first\n        - name: web # main\n          image: a # pinned\n"
	const want = "# head\nkind: Deployment # a\nspec:\n  # above\n  replicas: 3 # why two\n  paused: false\n" +
		"  template:\n    spec:\n      containers:\n        # first\n        - name: web # main\n          image: b # pinned\n" +
		"          ports:\n            - containerPort: 80\n  minReadySeconds: 1\n"
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(text), &document))
	value, err := sandbox.ReadPatch(`{"spec": {"replicas": 3, "minReadySeconds": 1, "template": {"spec": {"containers": ` +
		`[{"name": "web", "image": b, "ports": [{"containerPort": 80}]}]}}}}`)
	require.NoError(t, err)
	patched, err := sandbox.StrategicPatch(document.Content[0], value, overlay.DeploymentShape())
	require.NoError(t, err)
	printed, err := yaml.Marshal(patched)
	require.NoError(t, err)
	assert.Equal(t, "# head\n"+string(printed)[len("# head\n"):], string(printed))
	reindented := new(yaml.Node)
	require.NoError(t, yaml.Unmarshal([]byte(want), reindented))
	wanted, err := yaml.Marshal(reindented.Content[0])
	require.NoError(t, err)
	assert.Equal(t, string(wanted), string(printed))
}

func TestWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{spec:":          "must be JSON or YAML",
		"a: 1\n---\nb: 2": "must be one document",
		"a: &a [*a]":      "",
	} {
		_, err := sandbox.ReadPatch(text)
		require.ErrorContains(t, err, want, text)
	}
	for _, nothing := range []string{"", "# only a comment\n", "null"} {
		value, err := sandbox.ReadPatch(nothing)
		require.NoError(t, err)
		assert.Nil(t, value)
	}
}

func TestErrorsNameThePlace(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"json", "[{op: remove, path: /spec/nothing}]", `operation 1 (remove "/spec/nothing") must lead to a value that is there`},
		{"json", "[{op: add, path: x, value: 1}]", `operation 1 (add "x") must have a path that begins with a slash`},
		{"json", "[{op: put, path: /x, value: 1}]", `must have an op of add, remove, replace, move, copy and test, not "put"`},
		{"json", "[{op: add, path: /spec/template/spec/containers/9, value: 1}]", `must have an index between 0 and 1, not "9"`},
		{"json", "[{op: move, from: /spec, path: /spec/x}]", `must not move a value into itself`},
		{"json", "[{op: remove, path: ''}]", `must not remove the whole object`},
		{"json", "{}", `must be a list of operations`},
		{"json", "[remove]", `must have a path that begins with a slash`},
		{"json", "[{op: add, path: /spec/paused}]", `operation 1 (add "/spec/paused") must have a value`},
		{"json", "[{op: copy, path: /spec/x}]", `operation 1 (copy "/spec/x") must have a from that begins with a slash`},
		{"json", "[{op: test, path: /kind, value: Deployment}, {op: move, from: /spec/a/b, path: /spec/x}]",
			`operation 2 (move "/spec/x") must lead to a value that is there (at "/spec/a")`},
		{"json", "[{op: test, path: /spec/replicas, value: 9}]", `must find the value that it tests for`},
		{"strategic", "spec: {$patch: swap}", `must have replace, delete or merge as $patch, and merge only by leaving it out, not "swap"`},
		{"strategic", "spec: {strategy: {$retainKeys: type}}", `must have a list of keys as $retainKeys`},
		{"strategic", "spec: {template: {spec: {containers: [{name: web, env: [{name: A, $patch: swap}]}]}}}",
			`must have replace or delete as $patch in element 0 of the list "env", not "swap"`},
		{"strategic", "[]", `must be a mapping`},
		{"strategic", "spec: {template: {spec: {containers: [{image: x}]}}}", `must set "name" in element 0 of the list "containers"`},
		{"strategic", "spec: {template: {spec: {containers: [{name: x, $patch: swap}]}}}", `must have replace or delete as $patch`},
		{"strategic", "spec: {template: {spec: {containers: [x]}}}", `must have mappings in the list "containers"`},
		{"strategic", "spec: {strategy: {$retainKeys: [a], type: x}}", `must name the key "type" in $retainKeys`},
	} {
		_, err := patchApply(simple+"\n  strategy: {type: y}\n", c[0], c[1])
		require.ErrorContains(t, err, c[2], c[1])
	}
}

// What a Deployment does not have, as a Rollout's strategy: mappings are merged, and lists replaced.
func TestFieldsOfNoKnownType(t *testing.T) {
	t.Parallel()
	const rollout = "kind: Rollout\nspec: {strategy: {canary: {steps: [{setWeight: 5}, {pause: {}}], meta: {a: b}, name: x}}}\n"
	const change = "spec: {strategy: {canary: {steps: [{setWeight: 9}], meta: {c: d}, name: null}}}"
	got, err := patchApply(rollout, "strategic", change)
	require.NoError(t, err)
	want, err := patchApply("kind: Rollout\nspec: {strategy: {canary: {steps: [{setWeight: 9}], meta: {a: b, c: d}}}}\n", "json", "[]")
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func FuzzPatches(f *testing.F) {
	for kind, texts := range patches {
		for _, text := range texts {
			f.Add(kind, text)
		}
	}
	f.Fuzz(func(_ *testing.T, kind, text string) { _, _ = patchApply(rich, kind, text) })
}
