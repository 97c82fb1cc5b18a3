package pack_test

import (
	"archive/tar"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/stacks/pack"
	"github.com/resource-plugins/krm-functions/stacks/registry"
	"github.com/resource-plugins/krm-functions/test/framework/ociimage"
)

const stream = `apiVersion: meta.pkg.crossplane.io/v1
kind: Configuration
metadata: {name: cache}
spec:
  dependsOn:
  - {apiVersion: pkg.crossplane.io/v1, kind: Provider, package: registry.example.org/acme/redis, version: ">=v0.1.0"}
---
apiVersion: apiextensions.crossplane.io/v1
kind: CompositeResourceDefinition
metadata: {name: xcaches.cache.example.org}
spec:
  group: cache.example.org
  names: {kind: XCache, plural: xcaches}
  claimNames: {kind: Cache, plural: caches}
  versions: [{name: v1alpha1, served: true, referenceable: true}, {name: v0, served: false}]
`

const image = "registry.example.org/acme/cache"

// read reads a path in files and expects one package.
func read(t *testing.T, files fstest.MapFS, at string) *pack.Contents {
	t.Helper()
	packages, err := pack.Read(files, at, "here/"+at)
	require.NoError(t, err)
	require.Len(t, packages, 1)
	return packages[0]
}

// tarred reads a tar of these files.
func tarred(t *testing.T, files fstest.MapFS) *pack.Contents {
	t.Helper()
	return read(t, fstest.MapFS{"p.tar": {Data: ociimage.TarOf(files)}}, "p.tar")
}

// A package has the same content in all forms.
func TestRead_takesAllForms(t *testing.T) {
	t.Parallel()
	base := func(l *ociimage.Layout) v1.Descriptor {
		layer := l.Blob(v1.MediaTypeImageLayerGzip, ociimage.Gzip(ociimage.Tar(ociimage.File("package.yaml", stream))))
		layer.Annotations = map[string]string{"io.crossplane.xpkg": "base"}
		other := l.Blob(v1.MediaTypeImageLayerGzip, ociimage.Gzip(ociimage.Tar(ociimage.File("package.yaml", "not this"))))
		return l.Manifest(layer, other)
	}
	annotated := ociimage.New()
	annotated.List(base(annotated), image+":v1.0.0")
	plain := ociimage.New()
	plain.List(plain.Manifest(plain.Blob(v1.MediaTypeImageLayer, ociimage.Tar(ociimage.File("./package.yaml", stream)))), image+":v1.0.0")
	nested := ociimage.New()
	other := nested.Image(ociimage.Tar(ociimage.File("package.yaml", "for arm")))
	other.Platform = &v1.Platform{OS: "linux", Architecture: "arm64"}
	own := base(nested)
	own.Platform = &v1.Platform{OS: "linux", Architecture: "amd64"}
	nested.List(nested.Document(v1.MediaTypeImageIndex, v1.Index{Manifests: []v1.Descriptor{other, own}}), image+":v1.0.0")
	layer := ociimage.Tar(ociimage.File("package.yaml", stream))
	label := map[string]string{"io.crossplane.xpkg:" + digest.FromBytes(ociimage.Gzip(layer)).String(): "base"}
	built := ociimage.Saved(image+":v1.0.0", label, layer, ociimage.Tar(ociimage.File("package.yaml", "not this")))

	for name, got := range map[string]*pack.Contents{
		"package.yaml":         read(t, fstest.MapFS{"a/package.yaml": {Data: []byte(stream)}}, "a/package.yaml"),
		"folder":               read(t, fstest.MapFS{"a/package.yaml": {Data: []byte(stream)}}, "a"),
		"layout":               read(t, annotated.Done(), "."),
		"layout without gzip":  read(t, plain.Done(), "."),
		"layout with an index": read(t, nested.Done(), "."),
		"tar of a layout":      tarred(t, annotated.Done()),
		"tar.gz of a layout":   read(t, fstest.MapFS{"p": {Data: ociimage.Gzip(ociimage.TarOf(annotated.Done()))}}, "p"),
		"docker save":          tarred(t, ociimage.Saved(image+":v1.0.0", nil, layer)),
		"crossplane build":     tarred(t, built),
	} {
		assert.Equal(t, pack.FormXPkg, got.Form, name)
		assert.Equal(t, registry.Files{"package.yaml": []byte(stream)}, got.Files, name)
		if strings.Contains(name, "folder") || name == "package.yaml" {
			assert.Empty(t, got.Reference(), name)
			continue
		}
		assert.Equal(t, image, got.Image, name)
		assert.Equal(t, "v1.0.0", got.Tag, name)
	}
	assert.Equal(t, annotated.Index.Manifests[0].Digest.String(), read(t, annotated.Files, ".").Digest)
	assert.Equal(t, own.Digest.String(), read(t, nested.Files, ".").Digest, "that of the manifest, not of the index")
	assert.Empty(t, tarred(t, built).Digest, "the tar does not have the registry's manifest")
}

func TestRead_takesRegistryFolders(t *testing.T) {
	t.Parallel()
	want := registry.Files{"app.yaml": []byte("title: a"), "resources/crd.yaml": []byte("kind: x")}
	onDisk := fstest.MapFS{
		"r/.registry/app.yaml":           {Data: []byte("title: a")},
		"r/.registry/resources/crd.yaml": {Data: []byte("kind: x")},
		"r/package.yaml":                 {Data: []byte("not this")},
	}
	layers := [][]byte{
		ociimage.Tar(ociimage.Entry{Name: ".registry/", Kind: tar.TypeDir}, ociimage.File(".registry/app.yaml", "old"), ociimage.File(".registry/gone", "old"),
			ociimage.File(".registry/docs/readme", "old"), ociimage.File("bin/sh", "#!"), ociimage.File(".registry/crds/a/crd.yaml", "old"),
			ociimage.File(".registry/was-folder/x", "old")),
		ociimage.Tar(link("bin/evil", "../../../etc/passwd"), ociimage.File(".registry/.wh.gone", ""), ociimage.File(".registry/.wh.docs", ""),
			ociimage.File(".registry/crds/.wh..wh..opq", ""), ociimage.File(".registry/text", "title: a"), ociimage.File(".registry/.wh.was-folder", "")),
		ociimage.Tar(link(".registry/app.yaml", "text"), ociimage.File(".registry/crds/.wh.a", ""),
			ociimage.File(".registry/resources/crd.yaml", "kind: x"), ociimage.File(".registry/.wh.app.yaml", "")),
	}
	want["text"] = []byte("title: a")
	l := ociimage.New()
	l.List(l.Image(layers...), "v0.1.0")
	got := read(t, l.Done(), ".")
	assert.Equal(t, pack.FormRegistry, got.Form)
	assert.Equal(t, want, got.Files)
	assert.Equal(t, "v0.1.0", got.Tag)
	assert.Empty(t, got.Reference())
	got = tarred(t, ociimage.Saved("acme/redis", nil, layers...))
	assert.Equal(t, want, got.Files)
	assert.Equal(t, "docker.io/acme/redis", got.Reference())

	delete(want, "text")
	for path, at := range map[string]string{"r": "here/r/.registry", "r/.registry": "here/r/.registry"} {
		got := read(t, onDisk, path)
		assert.Equal(t, want, got.Files, path)
		assert.Equal(t, at, got.Path, path)
	}
}

// A path may hold several images. Images without a package are skipped.
func TestRead_takesSeveralImages(t *testing.T) {
	t.Parallel()
	l := ociimage.New()
	one := l.Image(ociimage.Tar(ociimage.File("package.yaml", "one")))
	two := l.Image(ociimage.Tar(ociimage.File("package.yaml", "two")))
	l.List(one, "docker.io/acme/redis:v1").List(one, "docker.io/acme/redis:latest").List(two, "")
	l.List(l.Image(ociimage.Tar(ociimage.File("bin/controller", "program"))), "controller:v1")
	l.List(l.Manifest(l.Blob("application/vnd.dev.cosign.simplesigning.v1+json", []byte("{}"))), "sha256-0.sig")
	for _, files := range []fstest.MapFS{l.Done(), {"p.tar": {Data: ociimage.TarOf(l.Files)}}} {
		at := "."
		if files["p.tar"] != nil {
			at = "p.tar"
		}
		packages, err := pack.Read(files, at, "p")
		require.NoError(t, err)
		require.Len(t, packages, 2)
		assert.Equal(t, "docker.io/acme/redis:v1@"+one.Digest.String(), packages[0].Reference())
		assert.Equal(t, "p/docker.io/acme/redis:v1", packages[0].Path)
		assert.Equal(t, "p/"+two.Digest.String(), packages[1].Path)
	}
}

// Different tools write the name of an image to different annotations.
func TestRead_takesNames(t *testing.T) {
	t.Parallel()
	const containerd = "io.containerd.image.name"
	for _, c := range []struct {
		annotations map[string]string
		image, tag  string
	}{
		{map[string]string{v1.AnnotationRefName: "v1"}, "", "v1"},
		{map[string]string{v1.AnnotationRefName: "r.example.org:5000/a/b:v1"}, "r.example.org:5000/a/b", "v1"},
		{map[string]string{v1.AnnotationRefName: "r.example.org:5000/a/b"}, "r.example.org:5000/a/b", ""},
		{map[string]string{v1.AnnotationRefName: "v1", containerd: "docker.io/a/b:v2"}, "docker.io/a/b", "v2"},
		{map[string]string{v1.AnnotationRefName: "v1", containerd: "not: a name"}, "", "v1"},
		{map[string]string{v1.AnnotationRefName: "A B"}, "", ""},
		{map[string]string{v1.AnnotationRefName: "../../etc:x\ny"}, "", ""},
		{nil, "", ""},
	} {
		l := ociimage.New()
		d := l.Image(ociimage.Tar(ociimage.File("package.yaml", stream)))
		d.Annotations = c.annotations
		l.Index.Manifests = []v1.Descriptor{d}
		got := read(t, l.Done(), ".")
		assert.Equal(t, []string{c.image, c.tag}, []string{got.Image, got.Tag}, c.annotations)
	}
	// Docker also names the image in manifest.json.
	l := ociimage.New()
	d := l.Image(ociimage.Tar(ociimage.File("package.yaml", stream)))
	l.List(d, "")
	var manifest v1.Manifest
	unmarshal(t, l.Files[ociimage.BlobPath(d)].Data, &manifest)
	l.Set("manifest.json", []byte(`[{"Config": "`+ociimage.BlobPath(manifest.Config)+`", "RepoTags": ["acme/redis:v3"], "Layers": []}]`))
	assert.Equal(t, "docker.io/acme/redis:v3@"+d.Digest.String(), tarred(t, l.Done()).Reference())
	// If docker has decompressed the layers, the manifest differs from the registry's.
	l = ociimage.New()
	l.List(l.Manifest(l.Blob(v1.MediaTypeImageLayer, ociimage.Tar(ociimage.File("package.yaml", stream)))), "")
	assert.NotEmpty(t, tarred(t, l.Done()).Digest)
	l.Set("manifest.json", []byte("[]"))
	assert.Empty(t, tarred(t, l.Files).Digest)
}

// ReadPath reads from disk and follows no link out of a folder.
func TestReadPath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := filepath.Join(dir, "redis", ".registry")
	require.NoError(t, os.MkdirAll(folder, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "app.yaml"), []byte("title: a"), 0o600))
	require.NoError(t, os.Symlink("app.yaml", filepath.Join(folder, "link.yaml")))
	for _, path := range []string{filepath.Dir(folder), folder} {
		packages, err := pack.ReadPath(path)
		require.NoError(t, err)
		require.Len(t, packages, 1)
		assert.Equal(t, filepath.ToSlash(folder), packages[0].Path)
		assert.Equal(t, []string{"app.yaml", "link.yaml"}, packages[0].Files.Paths())
	}
	l := ociimage.New()
	l.List(l.Image(ociimage.Tar(ociimage.File("package.yaml", stream))), "v1")
	require.NoError(t, os.CopyFS(filepath.Join(dir, "layout"), l.Done()))
	archive := filepath.Join(dir, "cache.xpkg")
	require.NoError(t, os.WriteFile(archive, ociimage.TarOf(l.Files), 0o600))
	for _, path := range []string{filepath.Join(dir, "layout"), archive} {
		packages, err := pack.ReadPath(path)
		require.NoError(t, err)
		assert.Equal(t, stream, string(packages[0].Files["package.yaml"]))
	}

	outside := filepath.Join(dir, "secret")
	require.NoError(t, os.WriteFile(outside, []byte("secret"), 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(folder, "out.yaml")))
	_, err := pack.ReadPath(folder)
	require.EqualError(t, err, folder+`: "out.yaml": must link to a file of the folder: put the file into the package`)
	_, err = pack.ReadPath(filepath.Join(dir, "nowhere"))
	require.ErrorContains(t, err, `nowhere" must be a package that can be read: no such file or directory`)
	_, err = pack.ReadPath(filepath.Join(dir, "redis", ".registry", ".."))
	require.ErrorContains(t, err, `".registry/out.yaml": must link`)
	_, err = pack.ReadPath(dir)
	require.ErrorIs(t, err, pack.ErrNoPackage)
}

func link(name, to string) ociimage.Entry {
	return ociimage.Entry{Name: name, Link: to, Kind: tar.TypeSymlink}
}

func unmarshal(t *testing.T, text []byte, into any) {
	t.Helper()
	require.NoError(t, json.Unmarshal(text, into))
}
