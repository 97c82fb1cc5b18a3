//go:build e2e

package images

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// Two builds in two clones of the last commit give the same digests and archives.
func TestTwoCleanBuildsAreTheSame(t *testing.T) {
	t.Parallel()
	var clones, printed [2]string
	for i := range clones {
		clones[i] = filepath.Join(t.TempDir(), "clone", string(rune('a'+i)))
		output(t, "", "git", "clone", "--quiet", checkout.Root(), clones[i])
		printed[i] = output(t, clones[i], "make", "--silent", "images")
	}
	assert.Contains(t, printed[0], "linux/arm64")
	assert.Equal(t, printed[0], printed[1])
	t.Log(printed[0])

	archives, err := filepath.Glob(filepath.Join(clones[0], "bin", "images", "*.tar"))
	require.NoError(t, err)
	require.Len(t, archives, len(functions(t))+2)
	for _, archive := range archives {
		first, err := os.ReadFile(archive)
		require.NoError(t, err)
		second, err := os.ReadFile(filepath.Join(clones[1], "bin", "images", filepath.Base(archive)))
		require.NoError(t, err)
		assert.True(t, string(first) == string(second), "%s differs", filepath.Base(archive)) //nolint:testifylint // Equal would print it all
	}
}

func output(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	command := exec.Command(name, args...)
	command.Dir = folder
	command.Env = append(os.Environ(), "MAKEFLAGS=") // if make runs the tests
	command.Stderr = os.Stderr
	out, err := command.Output()
	require.NoError(t, err)
	return string(out)
}
