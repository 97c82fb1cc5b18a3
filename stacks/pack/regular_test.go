//go:build unix

package pack_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/stacks/pack"
	"github.com/resource-plugins/krm-functions/test/framework/ociimage"
)

// A named pipe in a package is an error: opening it would block forever.
func TestReadPath_refusesNamedPipes(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		".registry/app.yaml", ".registry/a/b/c", ".registry/install.yaml", ".registry/z", "package.yaml", "oci-layout", "index.json", "manifest.json",
		"blobs/sha256/44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			files := map[string]string{}
			switch name {
			case ".registry/a/b/c", ".registry/install.yaml", ".registry/z":
				files[".registry/app.yaml"] = "title: a\n"
			case "index.json", "manifest.json":
				files["oci-layout"] = `{"imageLayoutVersion": "1.0.0"}`
			case "oci-layout":
				files["index.json"] = `{"manifests": []}`
			case "package.yaml", ".registry/app.yaml":
			default:
				files["oci-layout"] = `{"imageLayoutVersion": "1.0.0"}`
				files["index.json"] = `{"manifests": [{"mediaType": "application/vnd.oci.image.manifest.v1+json", "size": 2, "digest": ` +
					`"sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"}]}`
			}
			for file, text := range files {
				require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, file)), 0o700))
				require.NoError(t, os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600))
			}
			pipe := filepath.Join(folder, name)
			require.NoError(t, os.MkdirAll(filepath.Dir(pipe), 0o700))
			require.NoError(t, syscall.Mkfifo(pipe, 0o600))
			if name == ".registry/z" {
				require.NoError(t, os.Symlink("z", filepath.Join(folder, ".registry", "link.yaml"))) // read before the pipe
			}
			for _, at := range []string{folder, pipe} {
				done := make(chan error, 1)
				go func() {
					_, err := pack.ReadPath(at)
					done <- err
				}()
				select {
				case err := <-done:
					require.Error(t, err, at)
				case <-time.After(30 * time.Second):
					assert.Fail(t, "it waits for a writer", at)
				}
			}
		})
	}
}

// The decompressed layers of an image must have the digests in its config.
func TestRead_verifiesDiffIDs(t *testing.T) {
	t.Parallel()
	layer := ociimage.Tar(ociimage.File(".registry/app.yaml", "title: a"))
	right, wrong := digest.FromBytes(layer), digest.FromString("another")
	for name, test := range map[string]struct {
		ids  []digest.Digest
		want string
	}{
		"right":   {[]digest.Digest{right}, ""},
		"none":    {nil, ""},
		"wrong":   {[]digest.Digest{wrong}, "must have the digest " + wrong.String() + " when it is decompressed, as the config says"},
		"more":    {[]digest.Digest{right, right}, "must have the 2 layers of its config, not 1: copy the image again"},
		"invalid": {[]digest.Digest{"sha256:x"}, `diff_ids of the config must be digests, not "sha256:x"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := ociimage.New()
			config := l.Document(v1.MediaTypeImageConfig, v1.Image{RootFS: v1.RootFS{Type: "layers", DiffIDs: test.ids}})
			blob := l.Blob(v1.MediaTypeImageLayerGzip, ociimage.Gzip(layer))
			image := l.Document(v1.MediaTypeImageManifest, v1.Manifest{
				MediaType: v1.MediaTypeImageManifest, Config: config, Layers: []v1.Descriptor{blob},
			})
			_, err := pack.Read(l.List(image, "v1").Done(), ".", "p")
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.want)
		})
	}
}
