package scaffold_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/scaffold"
)

var two = scaffold.Files{"a/plugin.yaml": "one\n", "b.yaml": "two\n"}

func write(t *testing.T, folder string, options scaffold.WriteOptions) ([]scaffold.Change, error) {
	t.Helper()
	return scaffold.Write(t.Context(), folder, two, options)
}

func TestWrite_twiceChangesNothing(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "new", "folder")
	changes, err := write(t, folder, scaffold.WriteOptions{})
	require.NoError(t, err)
	assert.Equal(t, []scaffold.Change{{"a/plugin.yaml", scaffold.Created}, {"b.yaml", scaffold.Created}}, changes)
	before, err := os.Stat(filepath.Join(folder, "b.yaml"))
	require.NoError(t, err)
	changes, err = write(t, folder, scaffold.WriteOptions{})
	require.NoError(t, err)
	assert.Equal(t, []scaffold.Change{{"a/plugin.yaml", scaffold.Unchanged}, {"b.yaml", scaffold.Unchanged}}, changes)
	after, err := os.Stat(filepath.Join(folder, "b.yaml"))
	require.NoError(t, err)
	assert.True(t, os.SameFile(before, after))
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, entries, 2)
}

func TestWrite_keepsWhatUsersWrote(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "b.yaml")
	require.NoError(t, os.WriteFile(file, []byte("mine\n"), 0o600))
	_, err := write(t, folder, scaffold.WriteOptions{})
	var conflict *scaffold.ConflictError
	require.ErrorAs(t, err, &conflict)
	assert.Equal(t, file, conflict.File)
	_, err = os.Stat(filepath.Join(folder, "a"))
	require.ErrorIs(t, err, os.ErrNotExist, "nothing else must be written")

	changes, err := write(t, folder, scaffold.WriteOptions{Force: true})
	require.NoError(t, err)
	assert.Equal(t, []scaffold.Change{{"a/plugin.yaml", scaffold.Created}, {"b.yaml", scaffold.Replaced}}, changes)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "two\n", string(text))
}

func TestWrite_refusesWhatLeadsOut(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", ".", "..", "../a", "/a", "a/../b", "a//b", "a/", "./a", `a\b`} {
		_, err := scaffold.Write(t.Context(), t.TempDir(), scaffold.Files{name: "x"}, scaffold.WriteOptions{Force: true})
		require.ErrorContains(t, err, "must be the path of a file in the folder", name)
	}
	folder, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(folder, "a")))
	require.NoError(t, os.Symlink(filepath.Join(outside, "b.yaml"), filepath.Join(folder, "b.yaml")))
	_, err := write(t, folder, scaffold.WriteOptions{Force: true})
	require.EqualError(t, err, filepath.Join(folder, "a")+" must be a folder, and no link to one\n"+
		filepath.Join(folder, "b.yaml")+" must be a regular file, and no link to one")
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	assert.Empty(t, entries)
}

func TestWrite_reportsFoldersInItsWay(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a"), nil, 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(folder, "b.yaml"), 0o700))
	_, err := write(t, folder, scaffold.WriteOptions{})
	require.ErrorContains(t, err, "a must be a folder")
	require.ErrorContains(t, err, "b.yaml must be a regular file")
}
