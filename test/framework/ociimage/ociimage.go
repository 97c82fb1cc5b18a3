// Package ociimage builds container images for tests according to the image specification: OCI layouts, and tars as written
// by docker save.
package ociimage

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"testing/fstest"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"
)

// Entry is an entry of a tar.
type Entry struct {
	Name, Content, Link string
	// Kind is a type flag of package tar; 0 means a file.
	Kind byte
}

// File returns an entry that is a file.
func File(name, content string) Entry { return Entry{Name: name, Content: content} }

// Tar writes a tar.
func Tar(entries ...Entry) []byte {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range entries {
		header := &tar.Header{Name: e.Name, Linkname: e.Link, Typeflag: e.Kind, Mode: 0o644}
		if e.Kind == 0 {
			header.Typeflag, header.Size = tar.TypeReg, int64(len(e.Content))
		}
		must(w.WriteHeader(header))
		if header.Size > 0 {
			_, err := w.Write([]byte(e.Content))
			must(err)
		}
	}
	must(w.Close())
	return out.Bytes()
}

// Gzip compresses a text.
func Gzip(text []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(text)
	must(err)
	must(w.Close())
	return out.Bytes()
}

// Layout is an OCI layout being built.
type Layout struct {
	// Files are all files except index.json.
	Files fstest.MapFS
	// Index is the content of index.json.
	Index v1.Index
}

// New returns a layout without images.
func New() *Layout {
	l := &Layout{Files: fstest.MapFS{}, Index: v1.Index{Versioned: specs.Versioned{SchemaVersion: 2}}}
	l.Set(v1.ImageLayoutFile, []byte(`{"imageLayoutVersion": "1.0.0"}`))
	return l
}

// Set writes a file.
func (l *Layout) Set(name string, text []byte) {
	l.Files[name] = &fstest.MapFile{Data: text, Mode: 0o644}
}

// Blob adds a blob.
func (l *Layout) Blob(mediaType string, text []byte) v1.Descriptor {
	d := v1.Descriptor{MediaType: mediaType, Digest: digest.FromBytes(text), Size: int64(len(text))}
	l.Set(BlobPath(d), text)
	return d
}

// BlobPath returns the path of a blob.
func BlobPath(d v1.Descriptor) string {
	return path.Join(v1.ImageBlobsDir, d.Digest.Algorithm().String(), d.Digest.Encoded())
}

// Document adds a JSON blob.
func (l *Layout) Document(mediaType string, value any) v1.Descriptor {
	text, err := json.Marshal(value)
	must(err)
	return l.Blob(mediaType, text)
}

// Image adds an image with layers, which are compressed.
func (l *Layout) Image(layers ...[]byte) v1.Descriptor {
	blobs := make([]v1.Descriptor, len(layers))
	for i, text := range layers {
		blobs[i] = l.Blob(v1.MediaTypeImageLayerGzip, Gzip(text))
	}
	return l.Manifest(blobs...)
}

// Manifest adds an image with layers.
func (l *Layout) Manifest(layers ...v1.Descriptor) v1.Descriptor {
	config := l.Document(v1.MediaTypeImageConfig, v1.Image{Platform: v1.Platform{OS: "linux", Architecture: "amd64"}})
	return l.Document(v1.MediaTypeImageManifest, v1.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: v1.MediaTypeImageManifest, Config: config, Layers: layers,
	})
}

// List adds an image to index.json with a name.
func (l *Layout) List(d v1.Descriptor, name string) *Layout {
	if name != "" {
		d.Annotations = map[string]string{v1.AnnotationRefName: name}
	}
	l.Index.Manifests = append(l.Index.Manifests, d)
	return l
}

// Done writes index.json, and returns all files.
func (l *Layout) Done() fstest.MapFS {
	text, err := json.Marshal(l.Index)
	must(err)
	l.Set(v1.ImageIndexFile, text)
	return l.Files
}

// TarOf returns the tar of files.
func TarOf(files fstest.MapFS) []byte {
	entries := make([]Entry, 0, len(files))
	for _, name := range slices.Sorted(maps.Keys(files)) {
		entries = append(entries, File(name, string(files[name].Data)))
	}
	return Tar(entries...)
}

// Saved returns the files of the tar that docker save wrote before it supported OCI layouts, and that `crossplane xpkg
// build` writes. labels are those of the config.
func Saved(tag string, labels map[string]string, layers ...[]byte) fstest.MapFS {
	files := fstest.MapFS{}
	config := v1.Image{Config: v1.ImageConfig{Labels: labels}, RootFS: v1.RootFS{Type: "layers"}}
	image := map[string]any{"RepoTags": []string{tag}}
	names := make([]string, 0, len(layers))
	for _, text := range layers {
		config.RootFS.DiffIDs = append(config.RootFS.DiffIDs, digest.FromBytes(text))
		name := digest.FromBytes(Gzip(text)).Encoded() + ".tar.gz"
		files[name] = &fstest.MapFile{Data: Gzip(text)}
		names = append(names, name)
	}
	text, err := json.Marshal(config)
	must(err)
	name := digest.FromBytes(text).Encoded() + ".json"
	files[name] = &fstest.MapFile{Data: text}
	image["Config"], image["Layers"] = name, names
	text, err = json.Marshal([]any{image})
	must(err)
	files["manifest.json"] = &fstest.MapFile{Data: text}
	return files
}

// must panics on an error: all values here are valid.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
