package sandbox_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	sigsyaml "sigs.k8s.io/yaml"
)

// Every patch does to a workload what the libraries do that kubectl links, and what they refuse is refused.
func TestPatchesAsTheLibrariesDo(t *testing.T) {
	t.Parallel()
	for _, p := range allPairs() {
		want, err := byLibrary(t, p)
		patchCompare(t, p, want, err)
	}
}

// compare compares what comes of a patch with what must come of it; refused is why somebody else refuses it.
func patchCompare(t *testing.T, p pair, want any, refused error) {
	t.Helper()
	got, err := patchApply(p.workload, p.kind, p.patch)
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
