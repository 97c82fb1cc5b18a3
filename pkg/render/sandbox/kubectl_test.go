package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/checkout"
)

// Every patch does to a workload what the real kubectl does, and what kubectl refuses is refused.
func TestPatchesAsKubectlDoes(t *testing.T) {
	t.Parallel()
	kubectl := checkout.Tool(t, "kubectl")
	compared := 0
	for kind, texts := range patches {
		for _, text := range texts {
			both := []pair{{simple, kind, text}, {rich, kind, text}}
			compared += len(both)
			if wants, err := byKubectl(t, kubectl, both...); err == nil {
				for i, p := range both {
					comparePatched(t, p, wants[i], nil)
				}
				continue
			}
			for _, p := range both { // which of the two is refused
				wants, err := byKubectl(t, kubectl, p)
				comparePatched(t, p, append(wants, nil)[0], err)
			}
		}
	}
	assert.GreaterOrEqual(t, compared, 40)
}

// byKubectl applies one patch to workloads, in one call, since kubectl takes long to start.
func byKubectl(t *testing.T, kubectl string, pairs ...pair) (all []any, refused error) {
	t.Helper()
	args := []string{"patch", "--local", "--type", pairs[0].kind, "-p", pairs[0].patch, "-o", "json"}
	for i, p := range pairs {
		file := filepath.Join(t.TempDir(), fmt.Sprintf("%d.yaml", i))
		require.NoError(t, os.WriteFile(file, []byte(p.workload), 0o600))
		args = append(args, "-f", file)
	}
	command := exec.Command(kubectl, args...)
	command.Env = append(os.Environ(), "KUBECONFIG=/nowhere")
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, stderr.String())
	}
	for decoder := json.NewDecoder(&stdout); ; {
		var one any
		err := decoder.Decode(&one)
		if errors.Is(err, io.EOF) {
			require.Len(t, all, len(pairs))
			return all, nil
		}
		require.NoError(t, err)
		all = append(all, one)
	}
}
