package architecture

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// A module in tools/ pins a tool or files of other modules, or has code. Modules with code build outside the workspace
// without GOWORK=off.
func TestToolsStandAlone(t *testing.T) {
	t.Parallel()
	modules, err := filepath.Glob(filepath.Join(checkout.Root(), "tools", "*", "go.mod"))
	require.NoError(t, err)
	require.NotEmpty(t, modules)
	for _, module := range modules {
		folder := filepath.Dir(module)
		workspace, err := os.ReadFile(filepath.Join(folder, "go.work"))
		sources, errSources := filepath.Glob(filepath.Join(folder, "*.go"))
		require.NoError(t, errSources)
		if len(sources) == 0 {
			require.ErrorIs(t, err, os.ErrNotExist, folder)
			continue
		}
		require.NoError(t, err)
		assert.Contains(t, string(workspace), "\nuse .\n", folder)
	}
}
