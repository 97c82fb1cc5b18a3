package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// Each constant with an exit code is documented on the page about exit codes.
func TestExitCodesAreOnTheirPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(checkout.Root(), "docs/reference/exit-codes.md"))
	require.NoError(t, err)
	constant := regexp.MustCompile(`(?m)^(?:const |\t)((?:exit|Exit)[A-Z]\w*) += (\d+)\b`)
	found := 0
	for _, folder := range []string{
		"internal/rplug", "internal/contract", "internal/runner", "commands/local/localrun", "commands/local/localrun/*", "runtime/internal/*",
	} {
		files, err := filepath.Glob(filepath.Join(checkout.Root(), folder, "*.go"))
		require.NoError(t, err)
		require.NotEmpty(t, files, folder)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, match := range constant.FindAllSubmatch(text, -1) {
				found++
				assert.Contains(t, string(page), "\n| "+string(match[2])+" |", "%s of %s", match[1], file)
			}
		}
	}
	assert.Greater(t, found, 12)
}
