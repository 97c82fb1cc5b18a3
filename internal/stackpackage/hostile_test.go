package stackpackage_test

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/stackpackage"
)

// Each entry makes a layer of an image, beside a package, an error that names it and says what to do.
func TestRead_refusesHostileLayers(t *testing.T) {
	t.Parallel()
	app := file(".registry/app.yaml", "title: a")
	for name, c := range map[string]struct {
		entries []entry
		want    string
	}{
		"absolute path": {[]entry{app, file("/etc/passwd", "x")},
			`"/etc/passwd": the path must be relative: build the archive again without absolute paths`},
		"path that leads out": {[]entry{app, file(".registry/../../evil", "x")},
			`".registry/../../evil": the path must not lead out of the archive: build it again without ".."`},
		"path that leads out and back": {[]entry{app, file("x/../.registry/a.yaml", "x")},
			`"x/../.registry/a.yaml": the path must not lead out of the archive: build it again without ".."`},
		"whiteout that leads out": {[]entry{app, file("../.wh..registry", "x")},
			`"../.wh..registry": the path must not lead out of the archive: build it again without ".."`},
		"link that leads out": {[]entry{app, link(".registry/crd.yaml", "../../etc/passwd")},
			`".registry/crd.yaml": must link to a file of the package, not to "../../etc/passwd": put the file into the package`},
		"absolute link": {[]entry{app, link(".registry/crd.yaml", "/.registry/app.yaml")},
			`".registry/crd.yaml": must link to a file of the package, not to "/.registry/app.yaml": put the file into the package`},
		"link to another file of the image": {[]entry{app, file("etc/crd.yaml", "x"), link(".registry/crd.yaml", "../etc/crd.yaml")},
			`".registry/crd.yaml": must link to a file of the package, not to "../etc/crd.yaml": put the file into the package`},
		"link to a folder": {[]entry{file(".registry/a/app.yaml", "x"), link(".registry/b", "a")},
			`".registry/b" must be a file, or link to one`},
		"links in a circle": {[]entry{app, link(".registry/a", "b"), link(".registry/b", "a")},
			`".registry/a": too many links lead to each other: put the files into the package`},
		"file below a link": {[]entry{app, link(".registry/out", "/etc"), file(".registry/out/passwd", "x")},
			`".registry/out/passwd": must not be below ".registry/out", which is not a folder: build the archive again`},
		"folder that is a link": {[]entry{file("etc/app.yaml", "x"), link(".registry", "etc")}, `".registry" must be a folder`},
		"stream that is a link": {[]entry{link("package.yaml", "../etc/passwd")},
			`"package.yaml": must link to a file of the package, not to "../etc/passwd": put the file into the package`},
		"hard link that leads out": {[]entry{app, {name: ".registry/crd.yaml", link: "../../etc/passwd", kind: tar.TypeLink}},
			`".registry/crd.yaml": must link to a file of the package, not to "../../etc/passwd": put the file into the package`},
		"hard link to another file": {[]entry{file("etc/shadow", "x"), {name: ".registry/crd.yaml", link: "etc/shadow", kind: tar.TypeLink}},
			`".registry/crd.yaml": must link to a file of the package, not to "etc/shadow": put the file into the package`},
		"device": {[]entry{app, {name: ".registry/null", kind: tar.TypeChar}},
			`".registry/null": must be a file, a folder or a link`},
		"pipe": {[]entry{app, {name: ".registry/pipe", kind: tar.TypeFifo}},
			`".registry/pipe": must be a file, a folder or a link`},
		"duplicate file": {[]entry{app, file("./.registry//app.yaml", "title: b")},
			`"./.registry//app.yaml": must be in the archive once: build it again`},
		"duplicate that differs in kind": {[]entry{app, {name: ".registry/app.yaml", kind: tar.TypeDir}},
			`".registry/app.yaml": must be in the archive once: build it again`},
		"deep path": {[]entry{app, file(strings.Repeat("a/", 200)+"b", "x")},
			`"` + strings.Repeat("a/", 50) + `…": the path must have at most 4096 bytes and 128 elements`},
		"long path": {[]entry{app, file(strings.Repeat("a", 5000), "x")},
			`"` + strings.Repeat("a", 100) + `…": the path must have at most 4096 bytes and 128 elements`},
		"path that is not text": {[]entry{app, file(".registry/\xff", "x")}, `".registry/\xff": the path must be UTF-8`},
		"large file": {[]entry{app, file(".registry/crd.yaml", strings.Repeat("a", 16<<20+1))},
			`".registry/crd.yaml": must not be larger than 16777216 bytes`},
		"many files": {files(10_001), `".registry/009999": must have at most 10000 files`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLayout(t)
			l.list(l.image(tarOf(t, c.entries...)), "v1")
			_, err := stackpackage.Read(l.done(), ".", "p")
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.want)
			assert.Regexp(t, `^p: blobs/sha256/[0-9a-f]{64}: `, err.Error())
			assert.NotContains(t, err.Error(), "\n")
			_, err = stackpackage.Read(fstest.MapFS{"p": {Data: tarOfFiles(t, saved(t, "a", nil, tarOf(t, c.entries...)))}}, "p", "p")
			require.ErrorContains(t, err, c.want)
		})
	}
}

func files(n int) []entry {
	entries := make([]entry, n)
	for i := range entries {
		entries[i] = file(fmt.Sprintf(".registry/%06d", i), "")
	}
	return entries
}

// zeros is gzip that becomes so many MiB of zeros.
func zeros(t testing.TB, count int) []byte {
	return bytes.Repeat(gzipped(t, make([]byte, 1<<20)), count)
}

// Each change of a layout is an error that names the file.
func TestRead_refusesBrokenLayouts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(l *layout, image, layer v1.Descriptor)
		want   string
	}{
		"layer is missing": {func(l *layout, _, layer v1.Descriptor) { delete(l.files, blobOf(layer)) },
			"LAYER: must be in the image and is not: copy the image again"},
		"layer is another one": {func(l *layout, _, layer v1.Descriptor) { l.files[blobOf(layer)].Data[30] ^= 1 },
			"LAYER: must have the digest that it is named by: copy the image again"},
		"layer is cut": {func(l *layout, _, layer v1.Descriptor) {
			f := l.files[blobOf(layer)]
			f.Data = f.Data[:len(f.Data)/2]
		}, "LAYER: must have SIZE bytes, as the image says, and has HALF: copy the image again"},
		"layer is longer": {func(l *layout, _, layer v1.Descriptor) {
			f := l.files[blobOf(layer)]
			f.Data = append(bytes.Clone(f.Data), make([]byte, 1000)...)
		}, "LAYER: must have SIZE bytes, as the image says, and has MORE: copy the image again"},
		"manifest is another one": {func(l *layout, image, _ v1.Descriptor) {
			l.files[blobOf(image)].Data = bytes.Replace(l.files[blobOf(image)].Data, []byte("sha256"), []byte("sha512"), 1)
		}, "MANIFEST: must have the digest that it is named by: copy the image again"},
		"manifest is no JSON": {func(l *layout, _, _ v1.Descriptor) {
			l.index.Manifests[0] = l.blob(v1.MediaTypeImageManifest, []byte("[]"))
		}, "must be valid JSON"},
		"config is missing": {func(l *layout, image, _ v1.Descriptor) {
			var m v1.Manifest
			unmarshal(l.t, l.files[blobOf(image)].Data, &m)
			delete(l.files, blobOf(m.Config))
		}, "must be in the image and is not: copy the image again"},
		"digest is a path": {func(l *layout, _, _ v1.Descriptor) { l.index.Manifests[0].Digest = "sha256:../../../etc/passwd" },
			`digest must be valid, not "sha256:../../../etc/passwd": invalid checksum digest length`},
		"digest of a broken algorithm": {func(l *layout, _, _ v1.Descriptor) {
			l.index.Manifests[0].Digest = "md5:d41d8cd98f00b204e9800998ecf8427e"
		},
			`digest must be valid, not "md5:d41d8cd98f00b204e9800998ecf8427e": unsupported digest algorithm`},
		"negative size": {func(l *layout, image, _ v1.Descriptor) { l.index.Manifests[0].Size = -5 },
			"MANIFEST: must have -5 bytes, as the image says, and has"},
		"large manifest": {func(l *layout, image, _ v1.Descriptor) { l.index.Manifests[0].Size = 1 << 40 },
			"MANIFEST: must not be larger than 4194304 bytes"},
		"no image": {func(l *layout, _, _ v1.Descriptor) { l.index.Manifests = nil },
			"index.json: must list an image: there is none"},
		"many images": {func(l *layout, image, _ v1.Descriptor) { l.index.Manifests = make([]v1.Descriptor, 1001) },
			"index.json: must list at most 1000 images, not 1001"},
		"many layers": {func(l *layout, _, layer v1.Descriptor) {
			layers := make([]v1.Descriptor, 1001)
			for i := range layers {
				layers[i] = layer
			}
			l.index.Manifests[0] = l.manifest(layers...)
		}, "must have at most 1000 layers, not 1001"},
		"two base layers": {func(l *layout, _, layer v1.Descriptor) {
			layer.Annotations = map[string]string{"io.crossplane.xpkg": "base"}
			l.index.Manifests[0] = l.manifest(layer, layer)
		}, "must have one layer with the annotation io.crossplane.xpkg: base, not several"},
		"base layer without package.yaml": {func(l *layout, _, _ v1.Descriptor) {
			layer := l.blob(v1.MediaTypeImageLayer, tarOf(l.t, file("sub/package.yaml", stream)))
			layer.Annotations = map[string]string{"io.crossplane.xpkg": "base"}
			l.index.Manifests[0] = l.manifest(layer)
		}, "the layer io.crossplane.xpkg: base must have package.yaml in its root"},
		"no package": {func(l *layout, _, _ v1.Descriptor) {
			l.index.Manifests[0] = l.image(tarOf(l.t, file("bin/sh", "")))
		}, "p: must be a package: a .registry folder, package.yaml, or an OCI layout or a tar of docker save with an image that " +
			"has one of them"},
		"no platform that is read": {func(l *layout, image, _ v1.Descriptor) {
			image.Platform = &v1.Platform{OS: "linux", Architecture: "arm64"}
			other := image
			other.Platform = &v1.Platform{OS: "windows", Architecture: "amd64"}
			l.index.Manifests[0] = l.document(v1.MediaTypeImageIndex, v1.Index{Manifests: []v1.Descriptor{image, other}})
		}, "must have an image for linux/amd64: copy that platform, too"},
		"index without images": {func(l *layout, image, _ v1.Descriptor) {
			l.index.Manifests[0] = l.document(v1.MediaTypeImageIndex, v1.Index{})
		}, "must list an image: there is none"},
		"indexes in indexes": {func(l *layout, image, _ v1.Descriptor) {
			for range 5 {
				image = l.document(v1.MediaTypeImageIndex, v1.Index{Manifests: []v1.Descriptor{image}})
			}
			l.index.Manifests[0] = image
		}, "indexes must not be nested deeper than 4"},
		"index of itself": {func(l *layout, _, _ v1.Descriptor) {
			self := v1.Descriptor{MediaType: v1.MediaTypeImageIndex, Digest: digest.FromString("self"), Size: 1}
			text, _ := json.Marshal(v1.Index{Manifests: []v1.Descriptor{self}})
			self.Size = int64(len(text))
			l.file(blobOf(self), text)
			l.index.Manifests[0] = self
		}, "must have the digest that it is named by: copy the image again"},
		"another version": {func(l *layout, _, _ v1.Descriptor) { l.file("oci-layout", []byte(`{"imageLayoutVersion": "2"}`)) },
			`oci-layout: imageLayoutVersion must be "1.0.0", not "2"`},
		"large index": {func(l *layout, _, _ v1.Descriptor) { l.file("oci-layout", make([]byte, 5<<20)) },
			"oci-layout: must not be larger than 4194304 bytes"},
		"zstd": {func(l *layout, _, _ v1.Descriptor) {
			l.index.Manifests[0] = l.manifest(l.blob(v1.MediaTypeImageLayerZstd, []byte("\x28\xb5\x2f\xfd....")))
		}, "must be compressed with gzip, not with zstd: build the image with compression=gzip,force-compression=true"},
		"layer that is no tar": {func(l *layout, _, _ v1.Descriptor) {
			l.index.Manifests[0] = l.manifest(l.blob(v1.MediaTypeImageLayer, bytes.Repeat([]byte("text"), 200)))
		}, "must be a tar that is not damaged: copy or build it again"},
		"layer that ends early": {func(l *layout, _, _ v1.Descriptor) {
			text := tarOf(l.t, file("package.yaml", strings.Repeat("a", 5000)))
			l.index.Manifests[0] = l.manifest(l.blob(v1.MediaTypeImageLayer, text[:3000]))
		}, `"package.yaml": must be complete: it ends too early; copy or build it again`},
		"gzip that ends early": {func(l *layout, _, _ v1.Descriptor) {
			text := gzipped(l.t, tarOf(l.t, file("package.yaml", stream)))
			l.index.Manifests[0] = l.manifest(l.blob(v1.MediaTypeImageLayer, text[:len(text)-20]))
		}, "must be complete: it ends too early; copy or build it again"},
		"bomb": {func(l *layout, _, _ v1.Descriptor) {
			var header bytes.Buffer
			require.NoError(l.t, tar.NewWriter(&header).WriteHeader(&tar.Header{Name: "zeros", Size: 100 << 20}))
			text := append(gzipped(l.t, header.Bytes()), zeros(l.t, 101)...)
			l.index.Manifests[0] = l.manifest(l.blob(v1.MediaTypeImageLayerGzip, text))
		}, `must not be more than 200 times as large when it is decompressed: it looks like an archive bomb`},
		"bomb behind the end": {func(l *layout, _, _ v1.Descriptor) {
			text := append(gzipped(l.t, tarOf(l.t, file("package.yaml", stream))), zeros(l.t, 100)...)
			l.index.Manifests[0] = l.manifest(l.blob(v1.MediaTypeImageLayerGzip, text))
		}, `must not be more than 200 times as large when it is decompressed: it looks like an archive bomb`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLayout(t)
			image := l.image(tarOf(t, file("package.yaml", stream)))
			var manifest v1.Manifest
			unmarshal(t, l.files[blobOf(image)].Data, &manifest)
			layer := manifest.Layers[0]
			l.list(image, "v1")
			c.change(l, image, layer)
			want := strings.NewReplacer("LAYER", blobOf(layer), "MANIFEST", blobOf(image), "SIZE", fmt.Sprint(layer.Size),
				"HALF", fmt.Sprint(layer.Size/2), "MORE", fmt.Sprint(layer.Size+1000)).Replace(c.want)
			for _, files := range []fstest.MapFS{l.done(), {"p": {Data: tarOfFiles(t, l.files)}}} {
				at := "."
				if files["p"] != nil {
					at = "p"
				}
				_, err := stackpackage.Read(files, at, "p")
				require.ErrorContains(t, err, want)
				assert.True(t, strings.HasPrefix(err.Error(), "p: "), err)
				assert.NotContains(t, err.Error(), "\n")
			}
		})
	}
}

// Each change of a tar of docker save, or of an archive as a whole, is an error.
func TestRead_refusesBrokenArchives(t *testing.T) {
	t.Parallel()
	layer := tarOf(t, file("package.yaml", stream))
	whole := tarOfFiles(t, saved(t, "a:v1", nil, layer))
	with := func(change func(files fstest.MapFS, config, layer string)) []byte {
		files := saved(t, "a:v1", nil, layer)
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
		return tarOfFiles(t, files)
	}
	for name, c := range map[string]struct {
		text []byte
		want string
	}{
		"cut in a file":   {whole[:600], "must be complete: it ends too early; copy or build it again"},
		"cut in a header": {whole[:300+1024], "must be complete: it ends too early; copy or build it again"},
		"damaged":         {append([]byte("x"), whole[1:]...), "must be a tar that is not damaged: copy or build it again"},
		"no image":        {tarOf(t, file("a", "b")), "must have oci-layout or manifest.json: must be a package"},
		"empty":           {tarOf(t), "p.tar: must be a package: a .registry folder"},
		"manifest is no JSON": {tarOf(t, file("manifest.json", "{")),
			"manifest.json: must be valid JSON: unexpected end of JSON input"},
		"absolute path":       {tarOf(t, file("/manifest.json", "[]")), `"/manifest.json": the path must be relative`},
		"path that leads out": {tarOf(t, file("../manifest.json", "[]")), `"../manifest.json": the path must not lead out`},
		"link that leads out": {tarOf(t, link("a/layer.tar", "../../etc/passwd")),
			`"a/layer.tar": must not link to "../../etc/passwd", which is outside of the archive`},
		"absolute link": {tarOf(t, link("layer.tar", "/etc/passwd")),
			`"layer.tar": must not link to "/etc/passwd", which is outside of the archive`},
		"device":    {tarOf(t, entry{name: "null", kind: tar.TypeBlock}), `"null": must be a file, a folder or a link`},
		"duplicate": {tarOf(t, file("manifest.json", "[]"), file("./manifest.json", "[]")), `"./manifest.json": must be in the archive once`},
		"links in a circle": {tarOf(t, file("oci-layout", "{}"), link("manifest.json", "a"), link("a", "manifest.json")),
			"manifest.json: too many links lead to each other"},
		"gzip in gzip": {gzipped(t, gzipped(t, whole)), "must be a tar that is not damaged"},
		"zstd":         {[]byte("\x28\xb5\x2f\xfd...."), "must be compressed with gzip, not with zstd"},
		"large gzip":   {zeros(t, 257), "must not be larger than 268435456 bytes"},
		"config is missing": {with(func(files fstest.MapFS, config, _ string) { delete(files, config) }),
			"must be in the image and is not"},
		"config is another one": {with(func(files fstest.MapFS, config, _ string) { files[config].Data = []byte("{}") }),
			"must have the digest that it is named by, not sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"},
		"layer is missing": {with(func(files fstest.MapFS, _, layer string) { delete(files, layer) }),
			"must be in the image and is not"},
		"layer is another one": {with(func(files fstest.MapFS, _, layer string) {
			files[layer].Data = gzipped(t, tarOf(t, file("package.yaml", "another")))
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
			_, err := stackpackage.Read(fstest.MapFS{"p.tar": {Data: c.text}}, "p.tar", "p.tar")
			require.ErrorContains(t, err, c.want)
			assert.True(t, strings.HasPrefix(err.Error(), "p.tar: "), err)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

// Old versions of docker save write a layer once and link to it.
func TestRead_followsLinksInArchives(t *testing.T) {
	t.Parallel()
	files := saved(t, "a:v1", nil, tarOf(t, file("package.yaml", stream)))
	var entries []entry
	for name, f := range files {
		if !strings.HasSuffix(name, ".tar.gz") {
			entries = append(entries, file(name, string(f.Data)))
			continue
		}
		entries = append(entries, file("shared/layer.tar", string(f.Data)), link(name, "x/../shared/layer.tar"))
	}
	got := read(t, fstest.MapFS{"p": {Data: tarOf(t, entries...)}}, "p")
	assert.Equal(t, stream, string(got.Files["package.yaml"]))
}

// Files of other programs in an image may be of any kind and lead anywhere: only the package is read.
func TestRead_ignoresOtherFilesOfImages(t *testing.T) {
	t.Parallel()
	l := newLayout(t)
	l.list(l.image(tarOf(t, link("etc/mtab", "/proc/mounts"), link("a", "../../.."), entry{name: "dev/null", kind: tar.TypeChar},
		file("x\xff", ""), file("x\xff", ""), entry{name: "hard", link: "../../x", kind: tar.TypeLink}, file("package.yaml", stream))), "v1")
	assert.Equal(t, stream, string(read(t, l.done(), ".").Files["package.yaml"]))
}

// What is in a `.registry` folder of the disk is checked like that of an image.
func TestRead_refusesHostileFolders(t *testing.T) {
	t.Parallel()
	many := fstest.MapFS{}
	for _, e := range files(10_001) {
		many[e.name] = &fstest.MapFile{}
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
		_, err := stackpackage.Read(c.files, ".", "p")
		require.ErrorContains(t, err, c.want, name)
	}
}
