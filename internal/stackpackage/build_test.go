package stackpackage_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/require"
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

// entry is an entry of a tar.
type entry struct {
	name, content, link string
	kind                byte // a file if it is 0
}

func file(name, content string) entry { return entry{name: name, content: content} }
func link(name, to string) entry      { return entry{name: name, link: to, kind: tar.TypeSymlink} }

// tarOf writes a tar.
func tarOf(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range entries {
		header := &tar.Header{Name: e.name, Linkname: e.link, Typeflag: e.kind, Mode: 0o644}
		if e.kind == 0 {
			header.Typeflag, header.Size = tar.TypeReg, int64(len(e.content))
		}
		require.NoError(t, w.WriteHeader(header))
		if header.Size > 0 {
			_, err := w.Write([]byte(e.content))
			require.NoError(t, err)
		}
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

func gzipped(t testing.TB, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

// layout is an OCI layout in the making.
type layout struct {
	t     testing.TB
	files fstest.MapFS
	index v1.Index
}

func newLayout(t testing.TB) *layout {
	t.Helper()
	l := &layout{t: t, files: fstest.MapFS{}, index: v1.Index{Versioned: specs.Versioned{SchemaVersion: 2}}}
	l.file(v1.ImageLayoutFile, []byte(`{"imageLayoutVersion": "1.0.0"}`))
	return l
}

func (l *layout) file(name string, text []byte) {
	l.files[name] = &fstest.MapFile{Data: text, Mode: 0o644}
}

func (l *layout) blob(mediaType string, text []byte) v1.Descriptor {
	d := v1.Descriptor{MediaType: mediaType, Digest: digest.FromBytes(text), Size: int64(len(text))}
	l.file(blobOf(d), text)
	return d
}

func blobOf(d v1.Descriptor) string {
	return path.Join(v1.ImageBlobsDir, d.Digest.Algorithm().String(), d.Digest.Encoded())
}

func (l *layout) document(mediaType string, value any) v1.Descriptor {
	text, err := json.Marshal(value)
	require.NoError(l.t, err)
	return l.blob(mediaType, text)
}

// image adds an image with these layers, which are compressed.
func (l *layout) image(layers ...[]byte) v1.Descriptor {
	blobs := make([]v1.Descriptor, len(layers))
	for i, text := range layers {
		blobs[i] = l.blob(v1.MediaTypeImageLayerGzip, gzipped(l.t, text))
	}
	return l.manifest(blobs...)
}

func (l *layout) manifest(layers ...v1.Descriptor) v1.Descriptor {
	config := l.document(v1.MediaTypeImageConfig, v1.Image{Platform: v1.Platform{OS: "linux", Architecture: "amd64"}})
	return l.document(v1.MediaTypeImageManifest, v1.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: v1.MediaTypeImageManifest, Config: config, Layers: layers,
	})
}

// list lists an image in index.json, under a name.
func (l *layout) list(d v1.Descriptor, name string) *layout {
	if name != "" {
		d.Annotations = map[string]string{v1.AnnotationRefName: name}
	}
	l.index.Manifests = append(l.index.Manifests, d)
	return l
}

// done writes index.json.
func (l *layout) done() fstest.MapFS {
	text, err := json.Marshal(l.index)
	require.NoError(l.t, err)
	l.file(v1.ImageIndexFile, text)
	return l.files
}

// tarOfFiles returns the tar of files.
func tarOfFiles(t testing.TB, files fstest.MapFS) []byte {
	t.Helper()
	var entries []entry
	for _, name := range slices.Sorted(maps.Keys(files)) {
		entries = append(entries, file(name, string(files[name].Data)))
	}
	return tarOf(t, entries...)
}

// saved returns the tar that docker save wrote before it had OCI layouts, and that `crossplane xpkg build` writes: of an
// image with these layers. The labels are those of the config.
func saved(t testing.TB, tag string, labels map[string]string, layers ...[]byte) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	config := v1.Image{Config: v1.ImageConfig{Labels: labels}, RootFS: v1.RootFS{Type: "layers"}}
	image := map[string]any{"RepoTags": []string{tag}}
	var names []string
	for _, text := range layers {
		config.RootFS.DiffIDs = append(config.RootFS.DiffIDs, digest.FromBytes(text))
		name := digest.FromBytes(gzipped(t, text)).Encoded() + ".tar.gz"
		files[name] = &fstest.MapFile{Data: gzipped(t, text)}
		names = append(names, name)
	}
	text, err := json.Marshal(config)
	require.NoError(t, err)
	name := digest.FromBytes(text).Encoded() + ".json"
	files[name] = &fstest.MapFile{Data: text}
	image["Config"], image["Layers"] = name, names
	text, err = json.Marshal([]any{image})
	require.NoError(t, err)
	files["manifest.json"] = &fstest.MapFile{Data: text}
	return files
}

func unmarshal(t testing.TB, text []byte, into any) {
	t.Helper()
	require.NoError(t, json.Unmarshal(text, into))
}
