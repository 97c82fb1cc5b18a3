package pack

import (
	"archive/tar"
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// The limits apply to all images of a path together, so that many images cannot bypass them.
func TestBudget_isForAllLayers(t *testing.T) {
	t.Parallel()
	var layer bytes.Buffer
	w := tar.NewWriter(&layer)
	for _, name := range []string{".registry/a.yaml", ".registry/b.yaml"} {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Size: 4, Typeflag: tar.TypeReg}))
		_, err := w.Write([]byte("text"))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	for want, limits := range map[string]*budget{
		`must have at most 1048576 entries: it looks like an archive bomb`: {entries: 3, unpacked: maxUnpacked, kept: maxKept},
		`".registry/b.yaml": all packages together must have at most 1073741824 bytes`: {
			entries: 9, unpacked: maxUnpacked, kept: 12},
		`must have at most 4294967296 bytes decompressed, all layers together: remove images that are no packages`: {
			entries: 9, unpacked: int64(layer.Len()) + 512, kept: maxKept},
	} {
		_, err := readLayer(bytes.NewReader(layer.Bytes()), limits, io.Discard)
		require.NoError(t, err)
		_, err = readLayer(bytes.NewReader(layer.Bytes()), limits, io.Discard)
		require.ErrorContains(t, err, want)
	}
}
