package sandbox

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// Patches have the same effect as with kubectl's libraries, and are rejected if those reject them.
func TestPatchesAsTheLibrariesDo(t *testing.T) {
	t.Parallel()
	for _, p := range allPairs() {
		want, err := byLibrary(t, p)
		comparePatched(t, p, want, err)
	}
}

// comparePatched compares the result of a patch with the expected one; refused is the reason why the oracle rejects the patch.
func comparePatched(t *testing.T, p pair, want any, refused error) {
	t.Helper()
	got, err := patched(p.workload, p.kind, p.patch)
	if refused != nil {
		assert.Error(t, err, "%s %s: must be refused: %v", p.kind, p.patch, refused)
		return
	}
	if assert.NoError(t, err, "%s %s", p.kind, p.patch) {
		assert.Equal(t, withoutRests(want), withoutRests(got), "%s %s", p.kind, p.patch)
	}
}

func byLibrary(t *testing.T, p pair) (out any, refused error) {
	t.Helper()
	workload, err := sigsyaml.YAMLToJSON([]byte(p.workload))
	require.NoError(t, err)
	text, err := sigsyaml.YAMLToJSON([]byte(p.patch))
	require.NoError(t, err)
	var patched []byte
	switch p.kind {
	case "strategic":
		patched, err = strategicpatch.StrategicMergePatch(workload, text, appsv1.Deployment{})
	case "merge":
		patched, err = jsonpatch.MergePatch(workload, text)
	default:
		var operations jsonpatch.Patch
		if operations, err = jsonpatch.DecodePatch(text); err == nil {
			patched, err = operations.Apply(workload)
		}
	}
	if err != nil {
		return nil, err
	}
	require.NoError(t, json.Unmarshal(patched, &out))
	return out, nil
}

// randomPatch combines lists, mappings, directives and scalars in fields of a Deployment.
func randomPatch(random *rand.Rand) object {
	spec := object{}
	maybe := func(in object, key string, value any) {
		if random.IntN(3) == 0 {
			in[key] = value
		}
	}
	list := func(names []string, element func(name string) object) (all []any) {
		for _, i := range random.Perm(len(names))[:random.IntN(len(names)+1)] {
			one := element(names[i])
			if random.IntN(8) == 0 {
				one["$patch"] = pick(random, "delete", "replace")
			}
			all = append(all, one)
		}
		return all
	}
	pod := object{}
	maybe(pod, "containers", list([]string{"main", "side", "new", "web"}, func(name string) object {
		container := object{"name": name}
		maybe(container, "image", pick(random, "i:1", "i:2"))
		maybe(container, "command", []any{"run", pick(random, "a", "b")})
		maybe(container, "args", nil)
		maybe(container, "env", list([]string{"A", "B", "C", "D"}, func(name string) object {
			return object{"name": name, pick(random, "value", "other"): "v"}
		}))
		maybe(container, "volumeMounts", list([]string{"/data", "/tmp", "/new"}, func(path string) object {
			return object{"mountPath": path, "name": pick(random, "data", "tmp")}
		}))
		maybe(container, "resources", object{"limits": object{"cpu": pick(random, "1", "2")}, "requests": nil})
		return container
	}))
	maybe(pod, "$setElementOrder/containers", []any{object{"name": "main"}, object{"name": "side"}})
	maybe(pod, "volumes", list([]string{"data", "tmp", "new"}, func(name string) object {
		volume := object{"name": name, "emptyDir": object{}}
		maybe(volume, "$retainKeys", []any{"name", "emptyDir"})
		return volume
	}))
	maybe(pod, "tolerations", []any{object{"key": pick(random, "a", "b")}})
	maybe(pod, "nodeSelector", object{"disk": pick(random, "ssd", "hdd")})
	maybe(spec, "template", object{"spec": pod, "metadata": object{"labels": object{"app": pick(random, "x", "z"), "tier": nil}}})
	maybe(spec, "strategy", object{"type": "Recreate", pick(random, "$patch", "rollingUpdate"): "replace"})
	maybe(spec, "replicas", int64(random.IntN(5)))
	patch := object{"spec": spec}
	maybe(patch, "metadata", object{"finalizers": []any{"a.example/y", "z"}, "annotations": object{"note": nil, "n": "v"}})
	maybe(patch, "spec", object{"template": object{"spec": pod}})
	return patch
}

// Generated patches have the same effect as strategicpatch with the type Deployment, and are rejected only if it rejects
// them.
func TestGeneratedPatchesAsStrategicpatchDoes(t *testing.T) {
	t.Parallel()
	checkout.Slow(t, "applies thousands of patches")
	random := checkout.Random(t)
	var workloads [2][]byte
	for i, text := range []string{simple, rich} {
		var err error
		workloads[i], err = sigsyaml.YAMLToJSON([]byte(text))
		require.NoError(t, err)
	}
	applied := 0
	for range 5000 {
		workload := workloads[min(random.IntN(4), 1)]
		patch, err := json.Marshal(randomPatch(random))
		require.NoError(t, err)
		var before, want object
		require.NoError(t, json.Unmarshal(workload, &before))
		got, err := strategicMerge(before, patch)
		text, refused := strategicpatch.StrategicMergePatch(workload, patch, appsv1.Deployment{})
		if refused != nil {
			require.Error(t, err, "%s: must be refused: %v", patch, refused)
			continue
		}
		require.NoError(t, err, "%s", patch)
		require.NoError(t, json.Unmarshal(text, &want))
		after, err := json.Marshal(got)
		require.NoError(t, err)
		got = nil
		require.NoError(t, json.Unmarshal(after, &got))
		require.Equal(t, want, got, "%s", patch)
		applied++
	}
	assert.Greater(t, applied, 2500)
}
