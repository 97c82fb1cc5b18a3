package function

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
)

// The README shows the picture that --graph draws of an example.
func TestPictureOfTheReadme(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	const shown = "docs/pictures/orders-db.svg"
	var stdout, stderr bytes.Buffer
	code := renderphase.New().Run(t.Context(), []string{"--graph", "svg", filepath.Join(root, "examples", "orders-db", "native")},
		strings.NewReader(""), &stdout, &stderr)
	require.Equal(t, 0, code, stderr.String())
	file := filepath.Join(root, filepath.FromSlash(shown))
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(file, stdout.Bytes(), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), stdout.String())
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	assert.Contains(t, string(readme), "]("+shown+")")
}
