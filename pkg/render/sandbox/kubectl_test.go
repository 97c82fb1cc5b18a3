package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/test/checkout"
)

// The real kubectl makes the same Deployments of 5,000 generated pairs. It starts slowly, so it gets a patch with many
// workloads, which are themselves what patches made.
func TestGeneratedPatchesAsKubectlDoes(t *testing.T) {
	t.Parallel()
	kubectl := checkout.Tool(t, "kubectl")
	random := rand.New(rand.NewPCG(41, 42))
	folder := t.TempDir()
	workloads := generatedWorkloads(t, random, 50)
	for name, workload := range workloads {
		text, err := json.Marshal(workload)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, name+".json"), text, 0o600))
	}
	applied := 0
	for range 100 {
		patch, err := json.Marshal(randomPatch(random))
		require.NoError(t, err)
		want := patchedByKubectl(kubectl, folder, patch)
		for name, workload := range workloads {
			got, err := strategicMerge(copied(t, workload), patch)
			if _, accepted := want[name]; !accepted {
				require.Error(t, err, "%s: kubectl refuses it for %s", patch, name)
				continue
			}
			require.NoError(t, err, "%s", patch)
			require.Equal(t, want[name], copied(t, got), "%s\n%s", patch, name)
			applied++
		}
	}
	assert.Greater(t, applied, 2500)
	t.Logf("%d of 5,000 pairs are accepted, by %s as by us", applied, kubectl)
}

// generatedWorkloads are Deployments by their names.
func generatedWorkloads(t *testing.T, random *rand.Rand, count int) map[string]object {
	t.Helper()
	workloads := map[string]object{}
	for len(workloads) < count {
		text, err := sigsyaml.YAMLToJSON([]byte(pick(random, simple, rich)))
		require.NoError(t, err)
		var workload object
		require.NoError(t, json.Unmarshal(text, &workload))
		patch, err := json.Marshal(randomPatch(random))
		require.NoError(t, err)
		if workload, err = strategicMerge(workload, patch); err != nil {
			continue
		}
		name := fmt.Sprintf("w%d", len(workloads))
		child(workload, "metadata")["name"] = name
		workloads[name] = workload
	}
	return workloads
}

func copied(t *testing.T, workload object) object {
	t.Helper()
	text, err := json.Marshal(workload)
	require.NoError(t, err)
	var again object
	require.NoError(t, json.Unmarshal(text, &again))
	return again
}

// patchedByKubectl are the Deployments that kubectl makes of those in a folder, by their names, without those that it
// refuses.
func patchedByKubectl(kubectl, folder string, patch []byte) map[string]object {
	command := exec.Command(kubectl, "patch", "--local", "--type=strategic", "-o", "json", "-f", folder, "-p", string(patch))
	command.Env = append(os.Environ(), "KUBECONFIG="+os.DevNull)
	out, _ := command.Output() // it fails if it refuses one of them
	patched := map[string]object{}
	for stream := json.NewDecoder(bytes.NewReader(out)); stream.More(); {
		var answer object
		if stream.Decode(&answer) != nil {
			break
		}
		patched[child(answer, "metadata")["name"].(string)] = answer
	}
	return patched
}
