package rplug

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

func TestUpdateCatalog(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file, link := filepath.Join(folder, "catalog.yaml"), filepath.Join(folder, "link.yaml")
	catalog := resolve.NewCatalogDocument("platform")
	require.NoError(t, updateCatalog(t.Context(), file, as(catalog)))
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	commented := append([]byte("# ours\n"), written...)
	require.NoError(t, os.WriteFile(file, commented, 0o600))
	require.NoError(t, os.Chmod(file, 0o600))
	require.NoError(t, os.Symlink("catalog.yaml", link))

	require.NoError(t, updateCatalog(t.Context(), link, as(catalog)))
	same, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(commented), string(same), "the same catalog does not touch the file")
	catalog.Spec.Priority = 10
	require.NoError(t, updateCatalog(t.Context(), link, as(catalog)))

	info, err := os.Lstat(link)
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&os.ModeSymlink, "a link stays a link")
	info, err = os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	read, err := readCatalogFile(file)
	require.NoError(t, err)
	assert.Equal(t, catalog.Spec.Priority, read.Spec.Priority)
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, left, 2, "no temporary file is left")
}

func TestUpdateCatalog_fails(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.ErrorIs(t, updateCatalog(t.Context(), filepath.Join(folder, "none", "catalog.yaml"), as(resolve.NewCatalogDocument("platform"))), os.ErrNotExist)
	require.NoError(t, os.Mkdir(filepath.Join(folder, "catalog.yaml"), 0o755))
	require.Error(t, updateCatalog(t.Context(), filepath.Join(folder, "catalog.yaml"), as(resolve.NewCatalogDocument("platform"))))
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, left, 1, "no temporary file is left")
}

// as is a change to this catalog.
func as(catalog *resolve.CatalogDocument) func() (*resolve.CatalogDocument, error) {
	return func() (*resolve.CatalogDocument, error) { return catalog, nil }
}
