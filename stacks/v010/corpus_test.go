package v010_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/stacks/registry"
	v010 "github.com/resource-plugins/krm-functions/stacks/v010"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

func TestUnpack_printsWhatV010PrintedForRealPackages(t *testing.T) {
	t.Parallel()
	for _, dir := range realPackages(t) {
		for _, scope := range []string{"Cluster", "Namespaced"} {
			recorded := filepath.Join(dir, "golden-v0.10.0", scope)
			t.Run(filepath.Base(filepath.Dir(dir))+"/"+scope, func(t *testing.T) {
				t.Parallel()
				out, err := v010.Unpack(readFolder(t, filepath.Join(dir, ".registry")), v010.Options{
					Dir: registry.Folder, Scope: scope, Image: "registry.example.org/acme/stack:v9.8.7",
				})
				want, readErr := os.ReadFile(recorded + ".yaml")
				if readErr == nil {
					require.NoError(t, err)
					assert.Equal(t, string(want), string(out))
					return
				}
				want, readErr = os.ReadFile(recorded + ".err")
				require.NoError(t, readErr)
				require.Error(t, err)
				assert.Equal(t, string(want), "error: cannot unpack stack: failed to unpack stacks: "+err.Error()+"\n")
			})
		}
	}
}

// realPackages returns folders that hold a `.registry` folder and the output of v0.10.0 for it.
func realPackages(t *testing.T) []string {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(checkout.Corpus(t), "stacks", "*", "*", "golden-v0.10.0"))
	require.NoError(t, err)
	require.NotEmpty(t, dirs)
	for i, dir := range dirs {
		dirs[i] = filepath.Dir(dir)
	}
	return dirs
}

func readFolder(t *testing.T, dir string) registry.Files {
	t.Helper()
	files := registry.Files{}
	require.NoError(t, fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files[name], err = os.ReadFile(filepath.Join(dir, name))
		}
		return err
	}))
	return files
}
