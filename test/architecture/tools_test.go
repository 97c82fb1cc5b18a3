package architecture

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// The module of a tool works outside the workspace: `go vet ./...` in its folder finds a package, without GOWORK=off.
func TestToolsStandAlone(t *testing.T) {
	t.Parallel()
	modules, err := filepath.Glob(filepath.Join(checkout.Root(), "tools", "*", "go.mod"))
	require.NoError(t, err)
	require.NotEmpty(t, modules)
	for _, module := range modules {
		folder := filepath.Dir(module)
		workspace, err := os.ReadFile(filepath.Join(folder, "go.work"))
		require.NoError(t, err)
		assert.Contains(t, string(workspace), "\nuse .\n", folder)
		sources, err := filepath.Glob(filepath.Join(folder, "*.go"))
		require.NoError(t, err)
		assert.NotEmpty(t, sources, folder)
	}
}
