package main

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var testRelease = release{
	names: names{registry: "ghcr.io/resource-plugins", tag: "v0.1.0"}, version: "v0.1.0-3-gabc", revision: "0123abcd",
}

// stage writes programs for all products and platforms. Their content does not matter.
func stage(t *testing.T, products []product, platforms ...string) string {
	t.Helper()
	folder := t.TempDir()
	for _, platform := range platforms {
		require.NoError(t, os.MkdirAll(filepath.Join(folder, platform), 0o755))
		for _, p := range products {
			for _, program := range p.programs {
				content := []byte(program.name + " for " + platform)
				require.NoError(t, os.WriteFile(filepath.Join(folder, platform, program.name), content, 0o600))
			}
		}
	}
	return folder
}

func image(t *testing.T, p product, r release, platform string) v1.Image {
	t.Helper()
	made, err := newImage(p, r, platform, filepath.Join(stage(t, []product{p}, platform), platform))
	require.NoError(t, err)
	return made
}

func digest(t *testing.T, of interface{ Digest() (v1.Hash, error) }) string {
	t.Helper()
	hash, err := of.Digest()
	require.NoError(t, err)
	return hash.String()
}

// Images do not depend on the folder, the time or the permissions of the programs, but on everything else.
func TestSameInputSameDigest(t *testing.T) {
	t.Parallel()
	p := functionProduct("render-phase", "a function")
	first := digest(t, image(t, p, testRelease, "linux/amd64"))
	assert.Equal(t, first, digest(t, image(t, p, testRelease, "linux/amd64")))

	other := testRelease
	other.revision = "4567"
	described := functionProduct("render-phase", "another function")
	for name, changed := range map[string]v1.Image{
		"platform":    image(t, p, testRelease, "linux/arm64"),
		"revision":    image(t, p, other, "linux/amd64"),
		"description": image(t, described, testRelease, "linux/amd64"),
	} {
		assert.NotEqual(t, first, digest(t, changed), name)
	}
}

func TestConfigOfAFunction(t *testing.T) {
	t.Parallel()
	made := image(t, functionProduct("render-phase", "a function"), testRelease, "linux/arm64")
	config, err := made.ConfigFile()
	require.NoError(t, err)
	assert.Equal(t, "linux", config.OS)
	assert.Equal(t, "arm64", config.Architecture)
	assert.Equal(t, epoch, config.Created.UTC())
	assert.Equal(t, "65534:65534", config.Config.User, "a number, or Kubernetes cannot tell that it is not root")
	assert.Equal(t, []string{"/render-phase"}, config.Config.Entrypoint)
	assert.Empty(t, config.Config.Env)
	labels := map[string]string{
		"org.opencontainers.image.title":       "render-phase",
		"org.opencontainers.image.description": "a function",
		"org.opencontainers.image.source":      "https://github.com/resource-plugins/krm-functions",
		"org.opencontainers.image.licenses":    "Apache-2.0",
		"org.opencontainers.image.version":     "v0.1.0-3-gabc",
		"org.opencontainers.image.revision":    "0123abcd",
	}
	assert.Equal(t, labels, config.Config.Labels)

	manifest, err := made.Manifest()
	require.NoError(t, err)
	assert.Equal(t, labels, manifest.Annotations)
	assert.Equal(t, types.OCIManifestSchema1, manifest.MediaType)
	assert.Equal(t, types.OCIConfigJSON, manifest.Config.MediaType)
	require.Len(t, manifest.Layers, 1)
	assert.Equal(t, types.OCILayer, manifest.Layers[0].MediaType)
}

func TestRuntimeHoldsHelperAndRunner(t *testing.T) {
	t.Parallel()
	made := image(t, runtimeProduct, testRelease, "linux/amd64")
	config, err := made.ConfigFile()
	require.NoError(t, err)
	assert.Equal(t, "65532:65532", config.Config.User)
	assert.Equal(t, []string{"/manager"}, config.Config.Entrypoint)
	modes := map[string]int64{}
	visit := func(h *tar.Header, _ string) { modes[h.Name] = h.Mode }
	assert.Equal(t, []string{"etc/", "etc/group", "etc/passwd", "manager", "runner"}, entries(t, made, visit))
	assert.Equal(t, int64(0o711), modes["manager"], "its user must not read it: Linux then protects its processes")
	assert.Equal(t, int64(0o755), modes["runner"], "it is copied for main")
}

func TestUnpackerCanCopyItself(t *testing.T) {
	t.Parallel()
	made := image(t, unpackerProduct, testRelease, "linux/amd64")
	config, err := made.ConfigFile()
	require.NoError(t, err)
	assert.Equal(t, "65532:65532", config.Config.User)
	assert.Equal(t, []string{"/unpacker"}, config.Config.Entrypoint)
	modes := map[string]int64{}
	entries(t, made, func(h *tar.Header, _ string) { modes[h.Name] = h.Mode })
	assert.Equal(t, int64(0o755), modes["unpacker"], "its user must read it")
}

func TestLayer(t *testing.T) {
	t.Parallel()
	var contents []string
	got := entries(t, image(t, functionProduct("f", "d"), testRelease, "linux/amd64"), func(h *tar.Header, content string) {
		contents = append(contents, content)
		assert.Equal(t, epoch, h.ModTime.UTC(), h.Name)
		assert.Zero(t, h.Uid+h.Gid, h.Name)
		assert.Empty(t, h.Uname+h.Gname, h.Name)
		mode := map[string]int64{"etc/": 0o755, "etc/group": 0o644, "etc/passwd": 0o644, "f": 0o755}[h.Name]
		assert.Equal(t, mode, h.Mode, h.Name)
	})
	assert.Equal(t, []string{"etc/", "etc/group", "etc/passwd", "f"}, got)
	assert.Equal(t, "nobody:x:65534:\nhelper:x:65532:\n", contents[1])
	assert.Contains(t, contents[2], "nobody:x:65534:65534:", "kpt and kustomize run functions as nobody")
	assert.Contains(t, contents[2], "helper:x:65532:65532:")
	assert.Equal(t, "f for linux/amd64", contents[3])
}

// entries returns the names in the only layer of an image, after calling visit with each entry.
func entries(t *testing.T, of v1.Image, visit func(*tar.Header, string)) (found []string) {
	t.Helper()
	layers, err := of.Layers()
	require.NoError(t, err)
	require.Len(t, layers, 1)
	archive, err := layers[0].Uncompressed()
	require.NoError(t, err)
	defer archive.Close()
	for reader := tar.NewReader(archive); ; {
		h, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return found
		}
		require.NoError(t, err)
		content, err := io.ReadAll(reader)
		require.NoError(t, err)
		if visit != nil {
			visit(h, string(content))
		}
		found = append(found, h.Name)
	}
}

func TestSizesAreLimited(t *testing.T) {
	t.Parallel()
	small := runtimeProduct
	small.programs = []program{{name: "manager"}, {name: "runner", limit: 4}}
	_, err := newImage(small, testRelease, "linux/amd64", filepath.Join(stage(t, []product{small}, "linux/amd64"), "linux/amd64"))
	require.EqualError(t, err, `runtime: program "runner" must have at most 4 bytes, not 22`)

	tiny := functionProduct("f", "d")
	tiny.limit = 10
	_, err = newBuilt(tiny, testRelease, "linux/amd64", stage(t, []product{tiny}, "linux/amd64"))
	require.ErrorContains(t, err, "f for linux/amd64 must have at most 10 compressed bytes, not ")

	assert.Equal(t, int64(12_000_000), functionProduct("f", "").limit)
	assert.Equal(t, int64(12_000_000), runtimeProduct.limit)
	assert.Equal(t, int64(3_000_000), runtimeProduct.programs[1].limit)
}

func TestMissingProgram(t *testing.T) {
	t.Parallel()
	_, err := newImage(runtimeProduct, testRelease, "linux/amd64", t.TempDir())
	require.ErrorIs(t, err, os.ErrNotExist)
	assert.ErrorContains(t, err, "manager")
}
