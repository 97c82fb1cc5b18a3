package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRewrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.yaml")
	require.NoError(t, os.WriteFile(path, []byte("now"), 0o600))
	require.NoError(t, os.Chmod(path, 0o444))

	var skip skipError
	require.ErrorAs(t, rewrite(path, []byte("before"), []byte("after")), &skip, "somebody changed the file")
	require.ErrorAs(t, rewrite(dir, nil, nil), &skip)
	require.ErrorIs(t, rewrite(filepath.Join(dir, "none"), nil, nil), os.ErrNotExist)
	require.NoError(t, rewrite(path, []byte("now"), []byte("after")))

	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "after", string(text))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o444), info.Mode())
}

// A new file that cannot get its name is not left behind.
func TestReplaceCleansUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	taken := filepath.Join(dir, "taken")
	require.NoError(t, os.MkdirAll(filepath.Join(taken, "full"), 0o700))
	require.Error(t, replace(taken, []byte("x"), 0o600))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
	require.Error(t, replace(filepath.Join(dir, "no", "folder"), nil, 0o600))
}
