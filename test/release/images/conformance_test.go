//go:build e2e

package images

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// The images of the functions pass the suite, which starts them as kustomize and kpt do. A program that is no function fails.
func TestContainersConform(t *testing.T) {
	t.Parallel()
	suite := filepath.Join(t.TempDir(), "krm-conformance")
	build := exec.Command("go", "build", "-C", filepath.Join(checkout.Root(), "conformance"), "-o", suite, "./cmd/krm-conformance")
	build.Env = append(build.Environ(), "GOWORK=off")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))

	run := exec.Command(filepath.Join(checkout.Root(), "test", "integration", "conformance", "run"), suite, "images", contract.ImageRegistry,
		contract.ImageTag)
	out, err = run.CombinedOutput()
	require.NoError(t, err, string(out))
	t.Log(string(out))

	out, err = exec.Command(suite, "--level", "MUST", "--image", contract.RuntimeImage).CombinedOutput()
	require.ErrorContains(t, err, "exit status 1", string(out))
	require.Contains(t, string(out), "FAIL     run/plain")
}
