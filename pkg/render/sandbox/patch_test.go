package sandbox

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestApplyPatch_refuses(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"merge", "{spec:", "must be JSON or YAML"},
		{"merge", "a: 1\n---\nb: 2", "must be one document"},
		{"merge", "a: &a [*a]", "must be JSON or YAML"},
		{"json", "[{op: remove, path: /spec/nothing}]", `operation 1 (remove "/spec/nothing") must apply to the workload`},
		{"json", "[{op: put, path: /x, value: 1}]", `Unexpected kind: put`},
		{"json", "[{op: add, path: /spec/template/spec/containers/9, value: 1}]", `invalid index referenced`},
		{"json", "[{op: move, from: /spec, path: /spec/x}]", `operation 1 (move "/spec/x")`},
		{"json", "{}", `must be a list of operations`},
		{"json", "[remove]", `must be a list of operations`},
		{"json", "[{op: replace, path: '', value: 1}]", `must apply to the workload`},
		{"json", "[{op: test, path: /kind, value: Deployment}, {op: move, from: /spec/a/b, path: /spec/x}]", `operation 2 (move "/spec/x")`},
		{"json", "[{op: test, path: /spec/replicas, value: 9}]", `operation 1 (test "/spec/replicas")`},
		{"strategic", "spec: {$patch: swap}", `must apply to the workload`},
		{"strategic", "[]", `must be a mapping`},
		{"strategic", "spec: {template: {spec: {containers: [{image: x}]}}}", `does not contain declared merge key: name`},
		{"strategic", "spec: {template: {spec: {containers: [x]}}}", `must apply to the workload`},
		{"strategic", "spec: {strategy: {$retainKeys: [{}]}}", `must not have lists or mappings as merge keys`},
		{"strategic", "spec: {template: {spec: {containers: [{name: {}}, {name: {}}]}}}", `must not have lists or mappings as merge keys`},
		{"json", "[{op: add, path: /spec/x, value: [null]}, {op: test, path: /spec/x, value: [null]}]",
			`operation 2 (test "/spec/x") must apply to the workload: a null in a list cannot be compared`},
		{"json", "[{op: add, path: /spec/x, value: null}, {op: copy, from: /spec/x, path: /spec/y}, {op: test, path: /spec/y, value: null}]",
			`operation 3 (test "/spec/y") must apply to the workload`},
		{"json", "[{op: add, path: /spec/x, value: null}, {op: copy, from: /spec/x, path: /spec/y}, {op: add, path: /spec/y/z, value: 1}]",
			`operation 3 (add "/spec/y/z") must apply to the workload: a null in a list cannot be compared, and nothing can be added below`},
	} {
		_, err := patched(simple+"\n  strategy: {type: y}\n", c[0], c[1])
		require.ErrorContains(t, err, c[2], c[1])
	}
}

// The size and nesting of patches are limited, and the length of lists that are merged in quadratic time.
func TestApplyPatch_limits(t *testing.T) {
	t.Parallel()
	const doubled = "{op: copy, from: /spec, path: /spec/%d}, "
	var doubling, entries strings.Builder
	for i := range 40 {
		fmt.Fprintf(&doubling, doubled, i)
	}
	for i := range 1001 {
		fmt.Fprintf(&entries, "{name: N%d}, ", i)
	}
	env := "spec: {template: {spec: {containers: [{name: web, env: [" + entries.String() + "]}]}}}"
	text := "a: &a " + strings.Repeat("x", 8000) + "\nb: [" + strings.Repeat("*a,", 2000) + "]"
	for _, c := range []struct{ workload, kind, patch, want string }{
		{simple, "json", "[" + doubling.String() + "]", `must apply to the workload: all copies must have at most 3 MiB together`},
		{simple, "json", "[" + strings.Repeat("{op: test, path: /kind, value: Deployment},", 10_001) + "]",
			"must have at most 10000 operations, not 10001"},
		{simple, "strategic", env, "must merge lists of at most 1000 elements, not 1001 (spec.template.spec.containers[].env): use a patch of type json"},
		{strings.Replace(simple, "env: [", "env: ["+entries.String(), 1), "strategic",
			"spec: {template: {spec: {containers: [{name: web, $setElementOrder/env: [{name: A}]}]}}}", "at most 1000 elements, not 1003"},
		{simple, "merge", text, "b[524] aliases must not lead to more than 4194304 bytes of text in one document"},
		{simple, "merge", "a: " + strings.Repeat("x", 3<<20), "must have at most 3 MiB as JSON"},
		{simple, "merge", strings.Repeat("{a: ", 101) + "b" + strings.Repeat("}", 101), "must not nest more than 100 lists and mappings"},
	} {
		_, err := patched(c.workload, c.kind, c.patch)
		require.ErrorContains(t, err, c.want)
	}
	_, err := patched(simple, "merge", env)
	require.NoError(t, err)
	_, err = patched(simple, "strategic", "spec: {template: {spec: {containers: [{name: web, command: ["+strings.Repeat("x,", 5000)+"]}]}}}")
	require.NoError(t, err)
}

func TestApplyPatch_ofNothing(t *testing.T) {
	t.Parallel()
	for _, nothing := range []string{"", "# only a comment\n", "null", "---\n"} {
		for kind := range patches {
			before, err := patched(simple, "json", "[]")
			require.NoError(t, err)
			after, err := patched(simple, kind, nothing)
			require.NoError(t, err, "%s %q", kind, nothing)
			assert.Equal(t, before, after, "%s %q", kind, nothing)
		}
	}
}

// Fields that are newer than this program are kept and can be patched: mappings are merged, and lists replaced.
func TestApplyPatch_ofUnknownFields(t *testing.T) {
	t.Parallel()
	const newer = "kind: Deployment\nspec: {template: {spec: {rocket: {fuel: [1, 2], crew: {a: b}}, containers: [{name: c, warp: {n: 1}}]}}}\n"
	const change = "spec: {template: {spec: {rocket: {fuel: [3], crew: {c: d}}, containers: [{name: c, warp: {m: 2}}]}}}"
	got, err := patched(newer, "strategic", change)
	require.NoError(t, err)
	want, err := patched("kind: Deployment\nspec: {template: {spec: {rocket: {fuel: [3], crew: {a: b, c: d}}, "+
		"containers: [{name: c, warp: {n: 1, m: 2}}]}}}\n", "json", "[]")
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

// Fields that a Deployment lacks, such as a Rollout's strategy, can be patched: mappings are merged, and lists replaced.
func TestFieldsOfNoKnownType(t *testing.T) {
	t.Parallel()
	const rollout = "kind: Rollout\nspec: {strategy: {canary: {steps: [{setWeight: 5}, {pause: {}}], meta: {a: b}, name: x}}}\n"
	const change = "spec: {strategy: {canary: {steps: [{setWeight: 9}], meta: {c: d}, name: null}}}"
	got, err := patched(rollout, "strategic", change)
	require.NoError(t, err)
	want, err := patched("kind: Rollout\nspec: {strategy: {canary: {steps: [{setWeight: 9}], meta: {a: b, c: d}}}}\n", "json", "[]")
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func FuzzPatches(f *testing.F) {
	for kind, texts := range patches {
		for _, text := range texts {
			f.Add(kind, text)
		}
	}
	f.Fuzz(func(_ *testing.T, kind, text string) { _, _ = patched(rich, kind, text) })
}
