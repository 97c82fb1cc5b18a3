package documents

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

func TestWriteCatalog(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file, link := filepath.Join(folder, "catalog.yaml"), filepath.Join(folder, "link.yaml")
	list := resolve.NewCatalogDocument("platform")
	changed, err := WriteCatalog(file, list)
	require.NoError(t, err)
	assert.True(t, changed)
	require.NoError(t, os.Chmod(file, 0o600))
	require.NoError(t, os.Symlink("catalog.yaml", link))

	changed, err = WriteCatalog(link, list)
	require.NoError(t, err)
	assert.False(t, changed, "the same catalog does not touch the file")
	list.Spec.Priority = 10
	changed, err = WriteCatalog(link, list)
	require.NoError(t, err)
	assert.True(t, changed)

	info, err := os.Lstat(link)
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&os.ModeSymlink, "a link stays a link")
	info, err = os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	read, err := ReadCatalog(file)
	require.NoError(t, err)
	assert.Equal(t, list.Spec.Priority, read.Spec.Priority)
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, left, 2, "no temporary file is left")
}

func TestWriteFails(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	_, err := WriteCatalog(filepath.Join(folder, "none", "catalog.yaml"), resolve.NewCatalogDocument("platform"))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.Mkdir(filepath.Join(folder, "catalog.yaml"), 0o755))
	require.Error(t, WriteFile(filepath.Join(folder, "catalog.yaml"), nil))
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, left, 1, "no temporary file is left")
}

func TestLines(t *testing.T) {
	t.Parallel()
	result := func(severity krm.Severity, message string, place krm.Place) krm.Result {
		one := krm.NewResult(severity, message)
		one.Place = place
		return one
	}
	about := func(result krm.Result) krm.Result {
		result.ResourceRef = &krm.ResourceRef{}
		result.ResourceRef.Kind, result.ResourceRef.Name = "Catalog", "platform"
		return result
	}
	field := about(result("", "must be", krm.Place{File: "a.yaml", Line: 3, Column: 7}))
	field.Field = &krm.Field{Path: "spec.plugins"}
	for want, result := range map[string]krm.Result{
		"[error] must be":                               krm.NewResult("", "must be"),
		"a.yaml: [warning] must be":                     result(krm.Warning, "must be", krm.Place{File: "a.yaml"}),
		"a.yaml:3:1: [error] Catalog/platform: must be": about(result("", "must be", krm.Place{File: "a.yaml", Line: 3})),
		"a.yaml:3:7: [error] Catalog/platform spec.plugins: must be": field,
		`[error] one\ntwo\x1b[31m`: krm.NewResult("", "one\ntwo\x1b[31m"),
	} {
		assert.Equal(t, want, Line(result))
	}
	assert.Equal(t, "[error] a\n[warning] b",
		Findings{krm.NewResult("", "a"), krm.NewResult(krm.Info, "c"), krm.NewResult(krm.Warning, "b")}.Error())
}

// A signal that comes while a catalog is written waits until the file is whole: so does writing while one is heeded.
func TestWritingIsWhole(t *testing.T) {
	t.Parallel()
	file, ended := filepath.Join(t.TempDir(), "catalog.yaml"), make(chan error, 1)
	require.NoError(t, cli.Uninterrupted(func() error {
		go func() { ended <- WriteFile(file, []byte("text")) }()
		time.Sleep(50 * time.Millisecond)
		assert.NoFileExists(t, file)
		return nil
	}))
	require.NoError(t, <-ended)
	assert.FileExists(t, file)
}
