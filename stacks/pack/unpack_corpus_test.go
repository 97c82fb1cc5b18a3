package pack_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/stacks/pack"
	"github.com/resource-plugins/krm-functions/stacks/registry"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// The fixed form has all values that v0.10.0 printed for real packages, except those that it omits on purpose. It also has
// the values that v0.10.0 lost.
func TestUnpack_meansWhatV010Printed(t *testing.T) {
	t.Parallel()
	dirs, err := filepath.Glob(filepath.Join(checkout.Corpus(t), "stacks", "*", "*", "golden-v0.10.0"))
	require.NoError(t, err)
	require.NotEmpty(t, dirs)
	unpacked, refused := 0, 0
	for _, dir := range dirs {
		packages, err := pack.ReadPath(filepath.Join(dir, "..", registry.Folder))
		require.NoError(t, err)
		for _, scope := range []string{"Cluster", "Namespaced"} {
			u, results := pack.Unpack(packages[0].Files, registry.Options{
				Scope: scope, Image: "registry.example.org/acme/stack:v9.8.7",
			})
			want, err := os.ReadFile(filepath.Join(dir, scope+".yaml"))
			if err != nil {
				refused++
				require.Nil(t, u, dir)
				require.True(t, results.Failed(), dir)
				for _, result := range results {
					assert.NotEmpty(t, result.Place.File, "%s: %s", dir, result.Message)
				}
				continue
			}
			unpacked++
			require.NotNil(t, u, "%s: %v", dir, results)
			text, err := u.YAML()
			require.NoError(t, err)
			compareObjects(t, dir, objectsOf(t, string(want)), objectsOf(t, string(text)))
		}
	}
	assert.Positive(t, unpacked)
	assert.Positive(t, refused)
}

func objectsOf(t *testing.T, text string) []map[string]any {
	t.Helper()
	var objects []map[string]any
	for document := range strings.SplitSeq("\n"+text, "\n---\n") {
		var object map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(document), &object))
		if object != nil {
			objects = append(objects, object)
		}
	}
	return objects
}

func compareObjects(t *testing.T, name string, want, got []map[string]any) {
	t.Helper()
	require.Len(t, got, len(want), name)
	for i := range want {
		delete(want[i], "status")
		before := meaning(want[i])
		after := meaning(got[i])
		assert.Equal(t, before, covered(before, after), "%s: object %d", name, i)
	}
}

// meaning removes the nulls and empty structs that v0.10.0 printed for missing values, and the values that differ on
// purpose: verbs, and the controller of template stacks, which these outputs lack.
func meaning(value any) any {
	switch value := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for key, one := range value {
			if key == "verbs" {
				one = "verbs"
			}
			if key == "controllerImage" || key == "image" && one == "crossplane/templating-controller:v0.2.1" {
				continue
			}
			if one = meaning(one); one != nil {
				kept[key] = one
			}
		}
		if len(kept) == 0 {
			return nil
		}
		return kept
	case []any:
		kept := make([]any, len(value))
		for i, one := range value {
			kept[i] = meaning(one)
		}
		return kept
	}
	return value
}

// covered returns the fields of got that want also has: v0.10.0 lost fields, while CRDs and Deployments are kept whole.
func covered(want, got any) any {
	wanted, ok := want.(map[string]any)
	given, isMapping := got.(map[string]any)
	if !ok || !isMapping {
		wantedList, ok := want.([]any)
		givenList, isList := got.([]any)
		if !ok || !isList || len(wantedList) != len(givenList) {
			return got
		}
		kept := make([]any, len(givenList))
		for i := range givenList {
			kept[i] = covered(wantedList[i], givenList[i])
		}
		return kept
	}
	kept := map[string]any{}
	for key := range wanted {
		if one, ok := given[key]; ok {
			kept[key] = covered(wanted[key], one)
		}
	}
	return kept
}
