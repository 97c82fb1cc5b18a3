package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Users of images. Kubernetes needs numbers to check runAsNonRoot; kpt and kustomize use the name `nobody`, which docker
// looks up in /etc/passwd. Rendered Pods run the helpers as 65532.
const (
	nobodyUser = "65534:65534"
	helperUser = "65532:65532"

	passwd = "nobody:x:65534:65534:nobody:/:/sbin/nologin\nhelper:x:65532:65532:helper:/:/sbin/nologin\n"
	group  = "nobody:x:65534:\nhelper:x:65532:\n"
)

// epoch is the time of all files in an image, so that builds are reproducible.
var epoch = time.Unix(0, 0).UTC()

// file is a regular file of a layer.
type file struct {
	name    string
	mode    int64
	content []byte
}

// newLayer returns a layer with the users and the programs, in this order.
func newLayer(programs []file) (v1.Layer, error) {
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	if err := w.WriteHeader(header(tar.Header{Typeflag: tar.TypeDir, Name: "etc/", Mode: 0o755})); err != nil {
		return nil, err
	}
	for _, f := range append([]file{{"etc/group", 0o644, []byte(group)}, {"etc/passwd", 0o644, []byte(passwd)}}, programs...) {
		h := header(tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode, Size: int64(len(f.content))})
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.content); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(archive.Bytes())), nil
	}, tarball.WithCompressionLevel(gzip.BestCompression), tarball.WithCompressedCaching,
		tarball.WithMediaType(types.OCILayer))
}

// header sets the fields of h that could depend on the machine.
func header(h tar.Header) *tar.Header {
	h.ModTime = epoch
	h.Format = tar.FormatUSTAR
	return &h
}
