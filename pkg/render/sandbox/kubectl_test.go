package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// The real kubectl makes the same workloads of generated pairs. Starting kubectl is slow, so each patch is applied to many
// workloads, which are themselves the results of patches. TEST_ROUNDS=34 tries 5,100 patches instead of 150.
func TestGeneratedPatchesAsKubectlDoes(t *testing.T) {
	t.Parallel()
	checkout.Slow(t, "runs kubectl for each patch")
	kubectl := checkout.Tool(t, "kubectl")
	for i, kind := range []string{"strategic", "merge", "json"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			// Not checkout.Random: its choices have a JSON patch with a test that has no value, which kubectl applies differently.
			random := rand.New(rand.NewPCG(41, uint64(i)))
			kinds := []string{deployment, rollout}
			if kind == "strategic" {
				kinds = kinds[:1]
			}
			workloads := generatedWorkloads(t, random, 17, kinds...)
			folder := kubectlFolder{program: kubectl, kind: kind, folder: t.TempDir()}
			folder.write(t, workloads)
			applied, patches := 0, checkout.Rounds(50)
			for range patches {
				patch, err := json.Marshal(generatedPatch(random, kind, pick(random, workloads...)))
				require.NoError(t, err)
				applied += comparedWithKubectl(t, folder, workloads, patch)
			}
			assert.Greater(t, applied, len(workloads)*patches/5)
			t.Logf("%d of %d pairs are accepted, by %s as by us", applied, len(workloads)*patches, kubectl)
		})
	}
}

// comparedWithKubectl compares the patched workloads with kubectl's, and returns their number.
func comparedWithKubectl(t *testing.T, folder kubectlFolder, workloads []object, patch []byte) int {
	t.Helper()
	var got []object
	for _, workload := range workloads {
		patched, err := applyPatch(copied(t, workload), folder.kind, string(patch))
		if folder.kind == "strategic" {
			asRollout(t, workload, patch, patched, err)
		}
		if err == nil && text(patched, "kind") != "" { // without a kind, kubectl prints nothing, and nothing is rendered
			got = append(got, copied(t, patched))
		}
	}
	want := folder.patched(t, patch)
	require.Len(t, got, len(want), "%s", patch)
	for i := range want {
		require.Equal(t, want[i], got[i], "%s", patch)
	}
	return len(got)
}

// asRollout requires that a strategic patch has the same effect on a Rollout, which kubectl cannot patch.
func asRollout(t *testing.T, workload object, patch []byte, want object, refused error) {
	t.Helper()
	like := copied(t, workload)
	like["kind"] = rollout
	got, err := strategicMerge(like, patch)
	require.Equal(t, refused == nil, err == nil, "%s: %v", patch, err)
	if err == nil {
		want = copied(t, want)
		if want["kind"] == deployment {
			want["kind"] = rollout
		}
		require.Equal(t, want, copied(t, got), "%s", patch)
	}
}

func copied(t *testing.T, workload object) object {
	t.Helper()
	text, err := json.Marshal(workload)
	require.NoError(t, err)
	var again object
	require.NoError(t, json.Unmarshal(text, &again))
	return again
}

// kubectlFolder is a folder of workloads for kubectl, with a file for each in their order.
type kubectlFolder struct{ program, kind, folder string }

func (k kubectlFolder) write(t *testing.T, workloads []object) {
	t.Helper()
	for i, workload := range workloads {
		text, err := json.Marshal(workload)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(k.folder, fmt.Sprintf("%03d.json", i)), text, 0o600))
	}
}

// patched returns the workloads after kubectl's patch, except those that kubectl rejects or crashes on.
func (k kubectlFolder) patched(t *testing.T, patch []byte) []object {
	t.Helper()
	all, crashed := k.patch(t, k.folder, patch)
	if !crashed {
		return all
	}
	files, err := filepath.Glob(filepath.Join(k.folder, "*.json"))
	require.NoError(t, err)
	all = nil
	for _, file := range files {
		patched, _ := k.patch(t, file, patch)
		all = append(all, patched...)
	}
	return all
}

// patch runs kubectl on a path. It returns the patched workloads, and whether kubectl crashed.
func (k kubectlFolder) patch(t *testing.T, at string, patch []byte) (patched []object, crashed bool) {
	t.Helper()
	command := exec.Command(k.program, "patch", "--local", "--type="+k.kind, "-o", "json", "-f", at, "-p", string(patch))
	command.Env = append(os.Environ(), "KUBECONFIG="+os.DevNull)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, _ := command.Output() // it fails if kubectl rejects one of them
	for stream := json.NewDecoder(bytes.NewReader(out)); stream.More(); {
		var answer object
		if stream.Decode(&answer) != nil {
			break
		}
		patched = append(patched, answer)
	}
	return patched, strings.Contains(stderr.String(), "panic:")
}
