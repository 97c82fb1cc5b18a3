package atomicfile

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

	var skip SkipError
	require.ErrorAs(t, Rewrite(t.Context(), path, []byte("before"), []byte("after"), nil), &skip, "somebody changed the file")
	require.ErrorAs(t, Rewrite(t.Context(), dir, nil, nil, nil), &skip)
	require.ErrorIs(t, Rewrite(t.Context(), filepath.Join(dir, "none"), nil, nil, nil), os.ErrNotExist)
	require.NoError(t, Rewrite(t.Context(), path, []byte("now"), []byte("after"), nil))

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
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "taken", "full"), 0o700))
	lock, err := LockFolder(t.Context(), dir)
	require.NoError(t, err)
	require.Error(t, lock.Replace("taken", []byte("x")))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
	lock.Unlock()
	require.EqualError(t, lock.Replace("taken", nil), dir+" must be locked")
}

// A link is followed, so that its target changes; a dangling link is an error.
func TestUpdateFileFollowsLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target, link, dangling := filepath.Join(dir, "real"), filepath.Join(dir, "below", "link"), filepath.Join(dir, "dangling")
	require.NoError(t, os.Mkdir(filepath.Dir(link), 0o700))
	require.NoError(t, os.WriteFile(target, nil, 0o640))
	require.NoError(t, os.Chmod(target, 0o640))
	require.NoError(t, os.Symlink("../real", link))
	require.NoError(t, os.Symlink("nowhere", dangling))
	text := func() ([]byte, error) { return []byte("x"), nil }
	require.NoError(t, UpdateFile(t.Context(), link, text))
	require.ErrorContains(t, UpdateFile(t.Context(), dangling, text), "dangling must not be a link that leads nowhere: lstat ")

	content, err := os.ReadFile(target)
	require.NoError(t, err)
	assert.Equal(t, "x", string(content))
	for name, mode := range map[string]os.FileMode{target: 0o640, link: 0o777 | os.ModeSymlink, dangling: 0o777 | os.ModeSymlink} {
		info, err := os.Lstat(name)
		require.NoError(t, err)
		assert.Equal(t, mode, info.Mode(), name)
	}
}
