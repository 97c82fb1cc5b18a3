package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var platforms = []string{"linux/amd64", "linux/arm64"}

func published(t *testing.T, products ...product) (folder, printed string) {
	t.Helper()
	o := options{output: t.TempDir(), platforms: platforms, release: testRelease}
	var stdout strings.Builder
	require.NoError(t, publish(o, products, stage(t, products, platforms...), &stdout))
	return o.output, stdout.String()
}

func TestLayoutHoldsAllPlatforms(t *testing.T) {
	t.Parallel()
	folder, printed := published(t, functionProduct("render-phase", "a function"), runtimeProduct)
	top, err := layout.ImageIndexFromPath(filepath.Join(folder, "render-phase"))
	require.NoError(t, err)
	require.NoError(t, validate.Index(top))
	manifest, err := top.IndexManifest()
	require.NoError(t, err)
	require.Len(t, manifest.Manifests, 1, "so that crane pushes it as it is")
	assert.Equal(t, map[string]string{
		"io.containerd.image.name":          "ghcr.io/resource-plugins/render-phase:v0.1.0",
		"org.opencontainers.image.ref.name": "v0.1.0",
	}, manifest.Manifests[0].Annotations)
	assert.Contains(t, printed, "ghcr.io/resource-plugins/render-phase:v0.1.0@"+manifest.Manifests[0].Digest.String()+"\n")
	assert.Contains(t, printed, "ghcr.io/resource-plugins/runtime:v0.1.0@sha256:")

	index, err := top.ImageIndex(manifest.Manifests[0].Digest)
	require.NoError(t, err)
	children, err := index.IndexManifest()
	require.NoError(t, err)
	assert.Equal(t, "0123abcd", children.Annotations["org.opencontainers.image.revision"])
	require.Len(t, children.Manifests, 2)
	assert.Equal(t, &v1.Platform{OS: "linux", Architecture: "amd64"}, children.Manifests[0].Platform)
	assert.Equal(t, &v1.Platform{OS: "linux", Architecture: "arm64"}, children.Manifests[1].Platform)
}

func TestArchiveHoldsTheHostsImage(t *testing.T) {
	t.Parallel()
	folder, _ := published(t, functionProduct("render-phase", "a function"))
	tag, err := name.NewTag("ghcr.io/resource-plugins/render-phase:v0.1.0")
	require.NoError(t, err)
	loaded, err := tarball.ImageFromPath(filepath.Join(folder, "render-phase.tar"), &tag)
	require.NoError(t, err)
	require.NoError(t, validate.Image(loaded))
	config, err := loaded.ConfigFile()
	require.NoError(t, err)
	want := image(t, functionProduct("render-phase", "a function"), testRelease, "linux/"+config.Architecture)
	wantConfig, err := want.ConfigName()
	require.NoError(t, err)
	gotConfig, err := loaded.ConfigName()
	require.NoError(t, err)
	assert.Equal(t, wantConfig, gotConfig)
}

func TestHostImage(t *testing.T) {
	t.Parallel()
	p := functionProduct("f", "d")
	foreign := built{platform: "linux/mips", image: image(t, p, testRelease, "linux/mips")}
	assert.Equal(t, foreign.image, hostImage([]built{foreign}), "the first where the host's is not made")
	own := built{platform: hostPlatform, image: image(t, p, testRelease, hostPlatform)}
	assert.Equal(t, own.image, hostImage([]built{foreign, own}))
}

// Existing output is replaced completely, and the same input gives the same bytes.
func TestPublishReplaces(t *testing.T) {
	t.Parallel()
	p := functionProduct("f", "d")
	o := options{output: t.TempDir(), platforms: platforms, release: testRelease}
	staging := stage(t, []product{p}, platforms...)
	require.NoError(t, publish(o, []product{p}, staging, &strings.Builder{}))
	first := files(t, o.output)

	o.release.version = "v0.1.1"
	require.NoError(t, publish(o, []product{p}, staging, &strings.Builder{}))
	assert.NotEqual(t, first, files(t, o.output))

	o.release = testRelease
	require.NoError(t, publish(o, []product{p}, staging, &strings.Builder{}))
	assert.Equal(t, first, files(t, o.output))
}

func files(t *testing.T, folder string) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		found[path] = string(content)
		return err
	}))
	return found
}

func TestTooLargeWritesNothing(t *testing.T) {
	t.Parallel()
	first, second := functionProduct("a", "d"), functionProduct("b", "d")
	second.limit = 10
	products := []product{first, second}
	o := options{output: t.TempDir(), platforms: platforms, release: testRelease}
	err := publish(o, products, stage(t, products, platforms...), &strings.Builder{})
	require.ErrorContains(t, err, "b for linux/amd64 must have at most 10 compressed bytes")
	require.ErrorContains(t, err, "b for linux/arm64", "all findings at once")
	assert.Empty(t, files(t, o.output))
}

func TestNameMustBeAnImageName(t *testing.T) {
	t.Parallel()
	p := functionProduct("Upper", "d")
	o := options{output: t.TempDir(), platforms: platforms, release: testRelease}
	err := publish(o, []product{p}, stage(t, []product{p}, platforms...), &strings.Builder{})
	require.ErrorContains(t, err, "Upper: ")
	assert.Empty(t, files(t, o.output))
}
