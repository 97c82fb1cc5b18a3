package pack_test

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/stacks/pack"
	"github.com/resource-plugins/krm-functions/test/framework/ociimage"
)

// Each entry in a layer, beside a package, causes an error that names the entry and suggests a fix.
func TestRead_refusesHostileLayers(t *testing.T) {
	t.Parallel()
	app := ociimage.File(".registry/app.yaml", "title: a")
	for name, c := range map[string]struct {
		entries []ociimage.Entry
		want    string
	}{
		"absolute path": {[]ociimage.Entry{app, ociimage.File("/etc/passwd", "x")},
			`"/etc/passwd": the path must be relative: build the archive again without absolute paths`},
		"path that leads out": {[]ociimage.Entry{app, ociimage.File(".registry/../../evil", "x")},
			`".registry/../../evil": the path must not lead out of the archive: build it again without ".."`},
		"path that leads out and back": {[]ociimage.Entry{app, ociimage.File("x/../.registry/a.yaml", "x")},
			`"x/../.registry/a.yaml": the path must not lead out of the archive: build it again without ".."`},
		"whiteout that leads out": {[]ociimage.Entry{app, ociimage.File("../.wh..registry", "x")},
			`"../.wh..registry": the path must not lead out of the archive: build it again without ".."`},
		"link that leads out": {[]ociimage.Entry{app, link(".registry/crd.yaml", "../../etc/passwd")},
			`".registry/crd.yaml": must link to a file of the package, not to "../../etc/passwd": put the file into the package`},
		"absolute link": {[]ociimage.Entry{app, link(".registry/crd.yaml", "/.registry/app.yaml")},
			`".registry/crd.yaml": must link to a file of the package, not to "/.registry/app.yaml": put the file into the package`},
		"link to another file of the image": {[]ociimage.Entry{app, ociimage.File("etc/crd.yaml", "x"), link(".registry/crd.yaml", "../etc/crd.yaml")},
			`".registry/crd.yaml": must link to a file of the package, not to "../etc/crd.yaml": put the file into the package`},
		"link to a folder": {[]ociimage.Entry{ociimage.File(".registry/a/app.yaml", "x"), link(".registry/b", "a")},
			`".registry/b" must be a file, or link to one`},
		"links in a circle": {[]ociimage.Entry{app, link(".registry/a", "b"), link(".registry/b", "a")},
			`".registry/a": too many links lead to each other: put the files into the package`},
		"file below a link": {[]ociimage.Entry{app, link(".registry/out", "/etc"), ociimage.File(".registry/out/passwd", "x")},
			`".registry/out/passwd": must not be below ".registry/out", which is not a folder: build the archive again`},
		"folder that is a link": {[]ociimage.Entry{ociimage.File("etc/app.yaml", "x"), link(".registry", "etc")}, `".registry" must be a folder`},
		"stream that is a link": {[]ociimage.Entry{link("package.yaml", "../etc/passwd")},
			`"package.yaml": must link to a file of the package, not to "../etc/passwd": put the file into the package`},
		"hard link that leads out": {[]ociimage.Entry{app, {Name: ".registry/crd.yaml", Link: "../../etc/passwd", Kind: tar.TypeLink}},
			`".registry/crd.yaml": must link to a file of the package, not to "../../etc/passwd": put the file into the package`},
		"hard link to another file": {[]ociimage.Entry{ociimage.File("etc/shadow", "x"), {Name: ".registry/crd.yaml", Link: "etc/shadow", Kind: tar.TypeLink}},
			`".registry/crd.yaml": must link to a file of the package, not to "etc/shadow": put the file into the package`},
		"device": {[]ociimage.Entry{app, {Name: ".registry/null", Kind: tar.TypeChar}},
			`".registry/null": must be a file, a folder or a link`},
		"pipe": {[]ociimage.Entry{app, {Name: ".registry/pipe", Kind: tar.TypeFifo}},
			`".registry/pipe": must be a file, a folder or a link`},
		"duplicate file": {[]ociimage.Entry{app, ociimage.File("./.registry//app.yaml", "title: b")},
			`"./.registry//app.yaml": must be in the archive once: build it again`},
		"duplicate that differs in kind": {[]ociimage.Entry{app, {Name: ".registry/app.yaml", Kind: tar.TypeDir}},
			`".registry/app.yaml": must be in the archive once: build it again`},
		"deep path": {[]ociimage.Entry{app, ociimage.File(strings.Repeat("a/", 200)+"b", "x")},
			`"` + strings.Repeat("a/", 50) + `…": the path must have at most 4096 bytes and 128 elements`},
		"long path": {[]ociimage.Entry{app, ociimage.File(strings.Repeat("a", 5000), "x")},
			`"` + strings.Repeat("a", 100) + `…": the path must have at most 4096 bytes and 128 elements`},
		"path that is not text": {[]ociimage.Entry{app, ociimage.File(".registry/\xff", "x")}, `".registry/\xff": the path must be UTF-8`},
		"large file": {[]ociimage.Entry{app, ociimage.File(".registry/crd.yaml", strings.Repeat("a", 16<<20+1))},
			`".registry/crd.yaml": must not be larger than 16777216 bytes`},
		"many files": {files(10_001), `".registry/009999": must have at most 10000 files`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := ociimage.New()
			l.List(l.Image(ociimage.Tar(c.entries...)), "v1")
			_, err := pack.Read(l.Done(), ".", "p")
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.want)
			assert.Regexp(t, `^p: blobs/sha256/[0-9a-f]{64}: `, err.Error())
			assert.NotContains(t, err.Error(), "\n")
			_, err = pack.Read(fstest.MapFS{"p": {Data: ociimage.TarOf(ociimage.Saved("a", nil, ociimage.Tar(c.entries...)))}}, "p", "p")
			require.ErrorContains(t, err, c.want)
		})
	}
}

func files(n int) []ociimage.Entry {
	entries := make([]ociimage.Entry, n)
	for i := range entries {
		entries[i] = ociimage.File(fmt.Sprintf(".registry/%06d", i), "")
	}
	return entries
}

// zeros returns a gzip file that decompresses to count MiB of zeros.
func zeros(count int) []byte {
	return bytes.Repeat(ociimage.Gzip(make([]byte, 1<<20)), count)
}

// Each change to a layout causes an error that names the file.
func TestRead_refusesBrokenLayouts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(l *ociimage.Layout, image, layer v1.Descriptor)
		want   string
	}{
		"layer is missing": {func(l *ociimage.Layout, _, layer v1.Descriptor) { delete(l.Files, ociimage.BlobPath(layer)) },
			"LAYER: must be in the image and is not: copy the image again"},
		"layer is another one": {func(l *ociimage.Layout, _, layer v1.Descriptor) { l.Files[ociimage.BlobPath(layer)].Data[30] ^= 1 },
			"LAYER: must have the digest that it is named by: copy the image again"},
		"layer is cut": {func(l *ociimage.Layout, _, layer v1.Descriptor) {
			f := l.Files[ociimage.BlobPath(layer)]
			f.Data = f.Data[:len(f.Data)/2]
		}, "LAYER: must have SIZE bytes, as the image says, and has HALF: copy the image again"},
		"layer is longer": {func(l *ociimage.Layout, _, layer v1.Descriptor) {
			f := l.Files[ociimage.BlobPath(layer)]
			f.Data = append(bytes.Clone(f.Data), make([]byte, 1000)...)
		}, "LAYER: must have SIZE bytes, as the image says, and has MORE: copy the image again"},
		"manifest is another one": {func(l *ociimage.Layout, image, _ v1.Descriptor) {
			l.Files[ociimage.BlobPath(image)].Data = bytes.Replace(l.Files[ociimage.BlobPath(image)].Data, []byte("sha256"), []byte("sha512"), 1)
		}, "MANIFEST: must have the digest that it is named by: copy the image again"},
		"manifest is no JSON": {func(l *ociimage.Layout, _, _ v1.Descriptor) {
			l.Index.Manifests[0] = l.Blob(v1.MediaTypeImageManifest, []byte("[]"))
		}, "must be valid JSON"},
		"config is missing": {func(l *ociimage.Layout, image, _ v1.Descriptor) {
			var m v1.Manifest
			unmarshal(t, l.Files[ociimage.BlobPath(image)].Data, &m)
			delete(l.Files, ociimage.BlobPath(m.Config))
		}, "must be in the image and is not: copy the image again"},
		"digest is a path": {func(l *ociimage.Layout, _, _ v1.Descriptor) {
			l.Index.Manifests[0].Digest = "sha256:../../../etc/passwd"
		},
			`digest must be valid, not "sha256:../../../etc/passwd": invalid checksum digest length`},
		"digest of a broken algorithm": {func(l *ociimage.Layout, _, _ v1.Descriptor) {
			l.Index.Manifests[0].Digest = "md5:d41d8cd98f00b204e9800998ecf8427e"
		},
			`digest must be valid, not "md5:d41d8cd98f00b204e9800998ecf8427e": unsupported digest algorithm`},
		"negative size": {func(l *ociimage.Layout, _, _ v1.Descriptor) { l.Index.Manifests[0].Size = -5 },
			"MANIFEST: must have -5 bytes, as the image says, and has"},
		"large manifest": {func(l *ociimage.Layout, _, _ v1.Descriptor) { l.Index.Manifests[0].Size = 1 << 40 },
			"MANIFEST: must not be larger than 4194304 bytes"},
		"no image": {func(l *ociimage.Layout, _, _ v1.Descriptor) { l.Index.Manifests = nil },
			"index.json: must list an image: there is none"},
		"many images": {func(l *ociimage.Layout, _, _ v1.Descriptor) { l.Index.Manifests = make([]v1.Descriptor, 1001) },
			"index.json: must list at most 1000 images, not 1001"},
		"many layers": {func(l *ociimage.Layout, _, layer v1.Descriptor) {
			layers := make([]v1.Descriptor, 1001)
			for i := range layers {
				layers[i] = layer
			}
			l.Index.Manifests[0] = l.Manifest(layers...)
		}, "must have at most 1000 layers, not 1001"},
		"two base layers": {func(l *ociimage.Layout, _, layer v1.Descriptor) {
			layer.Annotations = map[string]string{"io.crossplane.xpkg": "base"}
			l.Index.Manifests[0] = l.Manifest(layer, layer)
		}, "must have one layer with the annotation io.crossplane.xpkg: base, not several"},
		"base layer without package.yaml": {func(l *ociimage.Layout, _, _ v1.Descriptor) {
			layer := l.Blob(v1.MediaTypeImageLayer, ociimage.Tar(ociimage.File("sub/package.yaml", stream)))
			layer.Annotations = map[string]string{"io.crossplane.xpkg": "base"}
			l.Index.Manifests[0] = l.Manifest(layer)
		}, "the layer io.crossplane.xpkg: base must have package.yaml in its root"},
		"no package": {func(l *ociimage.Layout, _, _ v1.Descriptor) {
			l.Index.Manifests[0] = l.Image(ociimage.Tar(ociimage.File("bin/sh", "")))
		}, "p: must be a package: a .registry folder, package.yaml, or an OCI layout or a tar of docker save with an image that " +
			"has one of them"},
		"no platform that is read": {func(l *ociimage.Layout, image, _ v1.Descriptor) {
			image.Platform = &v1.Platform{OS: "linux", Architecture: "arm64"}
			other := image
			other.Platform = &v1.Platform{OS: "windows", Architecture: "amd64"}
			l.Index.Manifests[0] = l.Document(v1.MediaTypeImageIndex, v1.Index{Manifests: []v1.Descriptor{image, other}})
		}, "must have an image for linux/amd64: copy that platform, too"},
		"index without images": {func(l *ociimage.Layout, _, _ v1.Descriptor) {
			l.Index.Manifests[0] = l.Document(v1.MediaTypeImageIndex, v1.Index{})
		}, "must list an image: there is none"},
		"indexes in indexes": {func(l *ociimage.Layout, image, _ v1.Descriptor) {
			for range 5 {
				image = l.Document(v1.MediaTypeImageIndex, v1.Index{Manifests: []v1.Descriptor{image}})
			}
			l.Index.Manifests[0] = image
		}, "indexes must not be nested deeper than 4"},
		"index of itself": {func(l *ociimage.Layout, _, _ v1.Descriptor) {
			self := v1.Descriptor{MediaType: v1.MediaTypeImageIndex, Digest: digest.FromString("self"), Size: 1}
			text, _ := json.Marshal(v1.Index{Manifests: []v1.Descriptor{self}})
			self.Size = int64(len(text))
			l.Set(ociimage.BlobPath(self), text)
			l.Index.Manifests[0] = self
		}, "must have the digest that it is named by: copy the image again"},
		"another version": {func(l *ociimage.Layout, _, _ v1.Descriptor) {
			l.Set("oci-layout", []byte(`{"imageLayoutVersion": "2"}`))
		},
			`oci-layout: imageLayoutVersion must be "1.0.0", not "2"`},
		"large index": {func(l *ociimage.Layout, _, _ v1.Descriptor) { l.Set("oci-layout", make([]byte, 5<<20)) },
			"oci-layout: must not be larger than 4194304 bytes"},
		"zstd": {func(l *ociimage.Layout, _, _ v1.Descriptor) {
			l.Index.Manifests[0] = l.Manifest(l.Blob(v1.MediaTypeImageLayerZstd, []byte("\x28\xb5\x2f\xfd....")))
		}, "must be compressed with gzip, not with zstd: build the image with compression=gzip,force-compression=true"},
		"layer that is no tar": {func(l *ociimage.Layout, _, _ v1.Descriptor) {
			l.Index.Manifests[0] = l.Manifest(l.Blob(v1.MediaTypeImageLayer, bytes.Repeat([]byte("text"), 200)))
		}, "must be a tar that is not damaged: copy or build it again"},
		"layer that ends early": {func(l *ociimage.Layout, _, _ v1.Descriptor) {
			text := ociimage.Tar(ociimage.File("package.yaml", strings.Repeat("a", 5000)))
			l.Index.Manifests[0] = l.Manifest(l.Blob(v1.MediaTypeImageLayer, text[:3000]))
		}, `"package.yaml": must be complete: it ends too early; copy or build it again`},
		"gzip that ends early": {func(l *ociimage.Layout, _, _ v1.Descriptor) {
			text := ociimage.Gzip(ociimage.Tar(ociimage.File("package.yaml", stream)))
			l.Index.Manifests[0] = l.Manifest(l.Blob(v1.MediaTypeImageLayer, text[:len(text)-20]))
		}, "must be complete: it ends too early; copy or build it again"},
		"bomb": {func(l *ociimage.Layout, _, _ v1.Descriptor) {
			var header bytes.Buffer
			require.NoError(t, tar.NewWriter(&header).WriteHeader(&tar.Header{Name: "zeros", Size: 100 << 20}))
			text := append(ociimage.Gzip(header.Bytes()), zeros(101)...)
			l.Index.Manifests[0] = l.Manifest(l.Blob(v1.MediaTypeImageLayerGzip, text))
		}, `must not be more than 200 times as large when it is decompressed: it looks like an archive bomb`},
		"bomb behind the end": {func(l *ociimage.Layout, _, _ v1.Descriptor) {
			text := append(ociimage.Gzip(ociimage.Tar(ociimage.File("package.yaml", stream))), zeros(100)...)
			l.Index.Manifests[0] = l.Manifest(l.Blob(v1.MediaTypeImageLayerGzip, text))
		}, `must not be more than 200 times as large when it is decompressed: it looks like an archive bomb`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := ociimage.New()
			image := l.Image(ociimage.Tar(ociimage.File("package.yaml", stream)))
			var manifest v1.Manifest
			unmarshal(t, l.Files[ociimage.BlobPath(image)].Data, &manifest)
			layer := manifest.Layers[0]
			l.List(image, "v1")
			c.change(l, image, layer)
			want := strings.NewReplacer("LAYER", ociimage.BlobPath(layer), "MANIFEST", ociimage.BlobPath(image), "SIZE", fmt.Sprint(layer.Size),
				"HALF", fmt.Sprint(layer.Size/2), "MORE", fmt.Sprint(layer.Size+1000)).Replace(c.want)
			for _, files := range []fstest.MapFS{l.Done(), {"p": {Data: ociimage.TarOf(l.Files)}}} {
				at := "."
				if files["p"] != nil {
					at = "p"
				}
				_, err := pack.Read(files, at, "p")
				require.ErrorContains(t, err, want)
				assert.True(t, strings.HasPrefix(err.Error(), "p: "), err)
				assert.NotContains(t, err.Error(), "\n")
			}
		})
	}
}

// Each change to a tar of docker save, or to an archive as a whole, causes an error.
func TestRead_refusesBrokenArchives(t *testing.T) {
	t.Parallel()
	layer := ociimage.Tar(ociimage.File("package.yaml", stream))
	whole := ociimage.TarOf(ociimage.Saved("a:v1", nil, layer))
	with := func(change func(files fstest.MapFS, config, layer string)) []byte {
		files := ociimage.Saved("a:v1", nil, layer)
		var names [2]string
		for name := range files {
			switch {
			case strings.HasSuffix(name, ".tar.gz"):
				names[1] = name
			case name != "manifest.json":
				names[0] = name
			}
		}
		change(files, names[0], names[1])
		return ociimage.TarOf(files)
	}
	for name, c := range map[string]struct {
		text []byte
		want string
	}{
		"cut in a file":   {whole[:600], "must be complete: it ends too early; copy or build it again"},
		"cut in a header": {whole[:300+1024], "must be complete: it ends too early; copy or build it again"},
		"damaged":         {append([]byte("x"), whole[1:]...), "must be a tar that is not damaged: copy or build it again"},
		"no image":        {ociimage.Tar(ociimage.File("a", "b")), "must have oci-layout or manifest.json: must be a package"},
		"empty":           {ociimage.Tar(), "p.tar: must be a package: a .registry folder"},
		"manifest is no JSON": {ociimage.Tar(ociimage.File("manifest.json", "{")),
			"manifest.json: must be valid JSON: unexpected end of JSON input"},
		"absolute path":       {ociimage.Tar(ociimage.File("/manifest.json", "[]")), `"/manifest.json": the path must be relative`},
		"path that leads out": {ociimage.Tar(ociimage.File("../manifest.json", "[]")), `"../manifest.json": the path must not lead out`},
		"link that leads out": {ociimage.Tar(link("a/layer.tar", "../../etc/passwd")),
			`"a/layer.tar": must not link to "../../etc/passwd", which is outside of the archive`},
		"absolute link": {ociimage.Tar(link("layer.tar", "/etc/passwd")),
			`"layer.tar": must not link to "/etc/passwd", which is outside of the archive`},
		"device":    {ociimage.Tar(ociimage.Entry{Name: "null", Kind: tar.TypeBlock}), `"null": must be a file, a folder or a link`},
		"duplicate": {ociimage.Tar(ociimage.File("manifest.json", "[]"), ociimage.File("./manifest.json", "[]")), `"./manifest.json": must be in the archive once`},
		"links in a circle": {ociimage.Tar(ociimage.File("oci-layout", "{}"), link("manifest.json", "a"), link("a", "manifest.json")),
			"manifest.json: too many links lead to each other"},
		"gzip in gzip": {ociimage.Gzip(ociimage.Gzip(whole)), "must be a tar that is not damaged"},
		"zstd":         {[]byte("\x28\xb5\x2f\xfd...."), "must be compressed with gzip, not with zstd"},
		"large gzip":   {zeros(257), "must not be more than 200 times as large when it is decompressed: it looks like an archive bomb"},
		"config is missing": {with(func(files fstest.MapFS, config, _ string) { delete(files, config) }),
			"must be in the image and is not"},
		"config is another one": {with(func(files fstest.MapFS, config, _ string) { files[config].Data = []byte("{}") }),
			"must have the digest that it is named by, not sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"},
		"layer is missing": {with(func(files fstest.MapFS, _, layer string) { delete(files, layer) }),
			"must be in the image and is not"},
		"layer is another one": {with(func(files fstest.MapFS, _, layer string) {
			files[layer].Data = ociimage.Gzip(ociimage.Tar(ociimage.File("package.yaml", "another")))
		}), "must have the digest sha256:" + digest.FromBytes(layer).Encoded() + ", as the config says: save the image again"},
		"fewer layers": {with(func(files fstest.MapFS, config, _ string) {
			files["manifest.json"].Data = []byte(`[{"Config": "` + config + `", "Layers": []}]`)
		}), "manifest.json: an image must have the 1 layers of its config"},
		"layer that leads out": {with(func(files fstest.MapFS, config, _ string) {
			files["manifest.json"].Data = []byte(`[{"Config": "` + config + `", "Layers": ["../../etc/passwd"]}]`)
		}), `"../../etc/passwd": must be in the image and is not`},
		"many images": {with(func(files fstest.MapFS, _, _ string) {
			files["manifest.json"].Data = []byte("[" + strings.Repeat("{},", 1000) + "{}]")
		}), "manifest.json: must list at most 1000 images, not 1001"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := pack.Read(fstest.MapFS{"p.tar": {Data: c.text}}, "p.tar", "p.tar")
			require.ErrorContains(t, err, c.want)
			assert.True(t, strings.HasPrefix(err.Error(), "p.tar: "), err)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

// A small archive with a large decompressed size takes little more memory than that size, whether it is refused on the way
// or at the end. No other test runs at the same time.
func TestReadPath_bombsTakeLittleMemory(t *testing.T) { //nolint:paralleltest // measures what is allocated
	noise := make([]byte, 1<<20)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise) // never fails
	for name, text := range map[string][]byte{
		"refused on the way": zeros(1000),
		"refused at the end": append(ociimage.Gzip(noise), zeros(190)...), // 1.2 MB become 191
	} {
		file := filepath.Join(t.TempDir(), "p.tar.gz")
		require.NoError(t, os.WriteFile(file, text, 0o600))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := pack.ReadPath(file)
		runtime.ReadMemStats(&after)
		require.Error(t, err, name)
		assert.Less(t, (after.TotalAlloc-before.TotalAlloc)>>20, uint64(220), "%s: MiB", name)
	}
}

// Old versions of docker save write a layer once and link to it.
func TestRead_followsLinksInArchives(t *testing.T) {
	t.Parallel()
	files := ociimage.Saved("a:v1", nil, ociimage.Tar(ociimage.File("package.yaml", stream)))
	var entries []ociimage.Entry
	for name, f := range files {
		if !strings.HasSuffix(name, ".tar.gz") {
			entries = append(entries, ociimage.File(name, string(f.Data)))
			continue
		}
		entries = append(entries, ociimage.File("shared/layer.tar", string(f.Data)), link(name, "x/../shared/layer.tar"))
	}
	got := read(t, fstest.MapFS{"p": {Data: ociimage.Tar(entries...)}}, "p")
	assert.Equal(t, stream, string(got.Files["package.yaml"]))
}

// Other files in an image may be of any type and link anywhere: only the package is read.
func TestRead_ignoresOtherFilesOfImages(t *testing.T) {
	t.Parallel()
	l := ociimage.New()
	l.List(l.Image(ociimage.Tar(link("etc/mtab", "/proc/mounts"), link("a", "../../.."), ociimage.Entry{Name: "dev/null", Kind: tar.TypeChar},
		ociimage.File("x\xff", ""), ociimage.File("x\xff", ""), ociimage.Entry{Name: "hard", Link: "../../x", Kind: tar.TypeLink}, ociimage.File("package.yaml", stream))), "v1")
	assert.Equal(t, stream, string(read(t, l.Done(), ".").Files["package.yaml"]))
}

// The files in a `.registry` folder on disk are checked like those in an image.
func TestRead_refusesHostileFolders(t *testing.T) {
	t.Parallel()
	many := fstest.MapFS{}
	for _, e := range files(10_001) {
		many[e.Name] = &fstest.MapFile{}
	}
	for name, c := range map[string]struct {
		files fstest.MapFS
		want  string
	}{
		"pipe": {fstest.MapFS{".registry/app.yaml": {Mode: fs.ModeNamedPipe}},
			`p: ".registry/app.yaml": must be a file, a folder or a link`},
		"large file": {fstest.MapFS{".registry/crd.yaml": {Data: make([]byte, 16<<20+1)}},
			`p: ".registry/crd.yaml": must not be larger than 16777216 bytes`},
		"many files": {many, "p: must have at most 10000 files"},
		"deep path": {fstest.MapFS{".registry/" + strings.Repeat("a/", 130) + "b": {}},
			`the path must have at most 128 elements`},
	} {
		_, err := pack.Read(c.files, ".", "p")
		require.ErrorContains(t, err, c.want, name)
	}
}
