//go:build e2e

package pack_test

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/stacks/pack"
	"github.com/resource-plugins/krm-functions/stacks/registry"
	"github.com/resource-plugins/krm-functions/test/framework/docker"
	"github.com/resource-plugins/krm-functions/test/framework/ociimage"
)

// Images that docker saves are read, and the file system from their layers equals the one that docker exports.
func TestRead_takesContainerImagesThatDockerSaves(t *testing.T) {
	stop, err := docker.Start()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, stop()) })
	folder := func(name string) ociimage.Entry { return ociimage.Entry{Name: name, Kind: tar.TypeDir} }
	layers := [][]byte{
		ociimage.Tar(folder(".registry"), ociimage.File(".registry/app.yaml", "old"), ociimage.File(".registry/gone", ""),
			folder(".registry/a"), ociimage.File(".registry/a/1", "old"), ociimage.File(".registry/a/2", "old"),
			folder(".registry/b"), ociimage.File(".registry/b/1", "old"), ociimage.File(".registry/b/2", "old"),
			folder(".registry/c"), ociimage.File(".registry/c/1", "old"), ociimage.File(".registry/file", "old"),
			folder("bin"), ociimage.File("bin/sh", "")),
		ociimage.Tar(folder(".registry"), ociimage.File(".registry/.wh.gone", ""),
			folder(".registry/a"), ociimage.File(".registry/a/.wh..wh..opq", ""), ociimage.File(".registry/a/3", "new"),
			ociimage.File(".registry/.wh.b", ""), ociimage.File(".registry/app.yaml", "title: a"),
			link(".registry/link", "app.yaml"), ociimage.Entry{Name: ".registry/hard", Link: ".registry/app.yaml", Kind: tar.TypeLink}),
		ociimage.Tar(folder(".registry"), folder(".registry/b"), ociimage.File(".registry/b/3", "new"),
			folder(".registry/c"), ociimage.File(".registry/c/.wh.1", ""),
			folder(".registry/file"), ociimage.File(".registry/file/x", "new")),
	}
	dir := t.TempDir()
	image := "registry.example.org/acme/redis:v0.1.0"
	in, out := filepath.Join(dir, "in.tar"), filepath.Join(dir, "out.tar")
	require.NoError(t, os.WriteFile(in, ociimage.TarOf(ociimage.Saved(image, nil, layers...)), 0o600))
	run(t, "load", "--input", in)
	t.Cleanup(func() { run(t, "image", "rm", image) })
	run(t, "save", "--output", out, image)

	want := exported(t, image)
	require.Len(t, want, 6)
	for _, archive := range []string{in, out} {
		packages, err := pack.ReadPath(archive)
		require.NoError(t, err)
		require.Len(t, packages, 1)
		assert.Equal(t, want, packages[0].Files, archive)
		assert.Equal(t, image, packages[0].Reference(), "docker keeps no manifest of a registry")
	}
}

// exported returns the files of a container's `.registry` folder.
func exported(t *testing.T, image string) registry.Files {
	t.Helper()
	container := strings.TrimSpace(run(t, "create", image, "none"))
	defer run(t, "rm", container)
	archive := tar.NewReader(strings.NewReader(run(t, "export", container)))
	files, links := registry.Files{}, map[string]string{}
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		name, ok := strings.CutPrefix(header.Name, ".registry/")
		switch {
		case !ok || header.Typeflag == tar.TypeDir:
		case header.Typeflag == tar.TypeReg:
			files[name], err = io.ReadAll(archive)
			require.NoError(t, err)
		default:
			links[name] = strings.TrimPrefix(header.Linkname, ".registry/")
		}
	}
	for name, target := range links {
		files[name] = files[target]
	}
	return files
}

func run(t *testing.T, args ...string) string {
	t.Helper()
	var wrong strings.Builder
	command := exec.Command("docker", args...)
	command.Stderr = &wrong
	out, err := command.Output()
	require.NoError(t, err, wrong.String())
	return string(out)
}
