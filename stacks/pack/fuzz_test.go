package pack_test

import (
	"strings"
	"testing"
	"testing/fstest"

	v1 "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/stacks/pack"
	"github.com/resource-plugins/krm-functions/test/framework/ociimage"
)

// check reads files twice. Both results must be the same, an error must be one line, and no path of a package may lead out
// of it.
func check(t *testing.T, files fstest.MapFS, at string) {
	t.Helper()
	packages, err := pack.Read(files, at, "p")
	again, errAgain := pack.Read(files, at, "p")
	require.Equal(t, packages, again)
	require.Equal(t, err, errAgain)
	if err != nil {
		assert.NotContains(t, err.Error(), "\n")
		assert.Empty(t, packages)
		return
	}
	require.NotEmpty(t, packages)
	for _, p := range packages {
		require.NotEmpty(t, p.Files)
		for name := range p.Files {
			assert.False(t, strings.HasPrefix(name, "/") || strings.Contains("/"+name+"/", "/../"), name)
		}
	}
}

func FuzzReadArchive(f *testing.F) {
	l := ociimage.New()
	l.List(l.Image(ociimage.Tar(ociimage.File("package.yaml", stream))), image+":v1.0.0")
	f.Add(ociimage.TarOf(l.Done()))
	f.Add(ociimage.Gzip(ociimage.TarOf(l.Files)))
	f.Add(ociimage.TarOf(ociimage.Saved("a:v1", nil, ociimage.Tar(ociimage.File(".registry/app.yaml", "title: a")))))
	f.Add([]byte(stream))
	f.Fuzz(func(t *testing.T, text []byte) { check(t, fstest.MapFS{"p": {Data: text}}, "p") })
}

// FuzzReadLayout reads layouts with valid digests, to get past the digest checks.
func FuzzReadLayout(f *testing.F) {
	layer := ociimage.Tar(ociimage.File(".registry/app.yaml", "title: a"), ociimage.File(".registry/.wh.crd.yaml", ""), link(".registry/b", "app.yaml"))
	f.Add(layer, ociimage.Tar(ociimage.File(".registry/crd.yaml", "kind: x")), "v1", v1.MediaTypeImageLayer, "base", byte(1))
	f.Add(ociimage.Gzip(layer), ociimage.Tar(ociimage.File("package.yaml", stream)), image+":v1", v1.MediaTypeImageLayerGzip, "", byte(3))
	f.Fuzz(func(t *testing.T, upper, lower []byte, name, mediaType, base string, nesting byte) {
		l := ociimage.New()
		top := l.Blob(mediaType, upper)
		top.Annotations = map[string]string{"io.crossplane.xpkg": base}
		d := l.Manifest(l.Blob(v1.MediaTypeImageLayer, lower), top)
		for range nesting % 8 {
			d = l.Document(v1.MediaTypeImageIndex, v1.Index{Manifests: []v1.Descriptor{d}})
		}
		l.List(d, name)
		check(t, l.Done(), ".")
	})
}

// FuzzReadIndex reads layouts with arbitrary JSON.
func FuzzReadIndex(f *testing.F) {
	l := ociimage.New()
	l.List(l.Image(ociimage.Tar(ociimage.File("package.yaml", stream))), image+":v1.0.0")
	files := l.Done()
	f.Add(files[v1.ImageIndexFile].Data, files[ociimage.BlobPath(l.Index.Manifests[0])].Data)
	f.Fuzz(func(t *testing.T, index, manifest []byte) {
		l := ociimage.New()
		l.Image(ociimage.Tar(ociimage.File("package.yaml", stream)))
		l.List(l.Blob(v1.MediaTypeImageManifest, manifest), "v1")
		check(t, l.Done(), ".")
		l.Set(v1.ImageIndexFile, index)
		check(t, l.Files, ".")
	})
}
