package oci

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/content/memory"

	"github.com/resource-plugins/krm-functions/internal/atomicfile"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// pluginText is a plugin document of some version.
func pluginText(version string) string {
	return "apiVersion: " + contract.APIVersion + "\nkind: ResourcePlugin\nmetadata: {name: hello-db@" + version + "}\n" +
		"spec:\n  runner: {image: alpine}\n  create:\n  - name: hello\n    script: |\n      #!/bin/sh\n      echo hello\n"
}

func packed(t *testing.T, versions ...string) *Bundle {
	t.Helper()
	var plugins []*krm.Item
	for _, v := range versions {
		item, err := krm.NewItem([]byte(pluginText(v)))
		require.NoError(t, err)
		plugins = append(plugins, item)
	}
	list := resolve.NewCatalogDocument("platform")
	_, _, err := resolve.Publish(list, plugins, resolve.PublishOptions{})
	require.NoError(t, err)
	b, err := Pack(list, plugins, ".")
	require.NoError(t, err)
	return b
}

// stored puts a bundle in a store under the tag v1, without checking it.
func stored(t *testing.T, b *Bundle, change func(*v1.Manifest)) *memory.Store {
	t.Helper()
	ctx := context.Background()
	text, err := b.manifest()
	require.NoError(t, err)
	var m v1.Manifest
	require.NoError(t, json.Unmarshal(text, &m))
	if change != nil {
		change(&m)
	}
	text, err = json.Marshal(m)
	require.NoError(t, err)
	store := memory.New()
	for name, file := range b.Files {
		require.NoError(t, store.Push(ctx, content.NewDescriptorFromBytes(typeOf(name), file), bytes.NewReader(file)))
	}
	require.NoError(t, store.Push(ctx, v1.DescriptorEmptyJSON, bytes.NewReader([]byte("{}"))))
	root := content.NewDescriptorFromBytes(v1.MediaTypeImageManifest, text)
	require.NoError(t, store.Push(ctx, root, bytes.NewReader(text)))
	require.NoError(t, store.Tag(ctx, root, "v1"))
	return store
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	b := packed(t, "1.0.0", "1.1.0-rc.1+build.5")
	got, _, err := Fetch(context.Background(), stored(t, b, nil), "v1")
	require.NoError(t, err)
	assert.Equal(t, b.Files, got.Files)
	one, err := b.manifest()
	require.NoError(t, err)
	other, err := packed(t, "1.1.0-rc.1+build.5", "1.0.0").manifest()
	require.NoError(t, err)
	assert.Equal(t, string(one), string(other), "the order of the documents must not matter")
}

// TestTampering changes a store without invalidating its OCI digests; the digests in the catalog detect the change.
func TestTampering(t *testing.T) {
	t.Parallel()
	const file = "plugins/hello-db/1.0.0.yaml"
	for name, c := range map[string]struct {
		change func(map[string][]byte)
		want   string
	}{
		"one byte of a script": {func(f map[string][]byte) {
			f[file] = bytes.Replace(f[file], []byte("echo hello"), []byte("echo hell0"), 1)
		}, "versions are immutable"},
		"a document of another version": {func(f map[string][]byte) { f[file] = []byte(pluginText("1.0.1")) }, "plugins/hello-db/1.0.0.yaml must be the document that its path says"},
		"no document":                   {func(f map[string][]byte) { delete(f, file) }, "hello-db@1.0.0 must have its document"},
		"a document more": {func(f map[string][]byte) {
			f["plugins/hello-db/2.0.0.yaml"] = []byte(pluginText("2.0.0"))
		}, "every document must be listed, and 1 of 2 are not"},
		"two documents in one":   {func(f map[string][]byte) { f[file] = append(f[file], "---\n"+pluginText("2.0.0")...) }, "must hold one ResourcePlugin document"},
		"a native document":      {func(f map[string][]byte) { f[file] = []byte("name: hello-db@1.0.0\nspec: {runner: {image: alpine}}\n") }, "must hold one ResourcePlugin document"},
		"a secret":               {func(f map[string][]byte) { f[file] = []byte("apiVersion: v1\nkind: Secret\nmetadata: {name: x}\n") }, "must hold one ResourcePlugin document"},
		"not YAML":               {func(f map[string][]byte) { f[file] = []byte("{") }, "[error]"},
		"binary":                 {func(f map[string][]byte) { f[file] = []byte{0xff, 0xfe, 0} }, "[error]"},
		"a catalog with a typo":  {func(f map[string][]byte) { f[CatalogFile] = append(f[CatalogFile], "  plugin: []\n"...) }, "unknown key"},
		"a catalog that is none": {func(f map[string][]byte) { f[CatalogFile] = []byte(pluginText("1.0.0")) }, "must hold one Catalog document"},
		"aliases without end":    {func(f map[string][]byte) { f[file] = []byte(bomb()) }, "aliases must not lead to more than 100000 values"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := packed(t, "1.0.0")
			b.Files = maps.Clone(b.Files)
			c.change(b.Files)
			_, _, err := Fetch(context.Background(), stored(t, b, nil), "v1")
			require.ErrorContains(t, err, c.want)
		})
	}
}

// bomb is a plugin whose aliases expand to billions of values.
func bomb() string {
	var b strings.Builder
	b.WriteString("apiVersion: " + contract.APIVersion + "\nkind: ResourcePlugin\nmetadata: {name: hello-db@1.0.0}\nspec:\n  a: &a [x]\n")
	for c := 'b'; c <= 'z'; c++ {
		last := string(c - 1)
		b.WriteString("  " + string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+last+", ", 8) + "*" + last + "]\n")
	}
	return b.String()
}

// TestHostileManifests are refused before anything they describe is fetched.
func TestHostileManifests(t *testing.T) {
	t.Parallel()
	title := func(i int, text string) func(*v1.Manifest) {
		return func(m *v1.Manifest) { m.Layers[i].Annotations = map[string]string{v1.AnnotationTitle: text} }
	}
	for want, change := range map[string]func(*v1.Manifest){
		`path "../../etc/passwd" must be`:                               title(0, "../../etc/passwd"),
		`path "/plugins/hello-db/1.0.0.yaml" must be`:                   title(0, "/plugins/hello-db/1.0.0.yaml"),
		`path "plugins/../1.0.0.yaml" must be`:                          title(0, "plugins/../1.0.0.yaml"),
		`path "plugins/hello-db/...yaml" must be`:                       title(0, "plugins/hello-db/...yaml"),
		`path "plugins/hello-db/v1.0.0.yaml" must be`:                   title(0, "plugins/hello-db/v1.0.0.yaml"),
		`path "plugins\\hello-db\\1.0.0.yaml" must be`:                  title(0, `plugins\hello-db\1.0.0.yaml`),
		`path "" must be`:                                               title(0, ""),
		"catalog.yaml must be in the artifact once":                     func(m *v1.Manifest) { m.Layers = append(m.Layers, m.Layers[1]) },
		"the artifact must have catalog.yaml":                           func(m *v1.Manifest) { m.Layers = m.Layers[:1] },
		"must have at most 4194304 bytes, not 9223372036854775807":      func(m *v1.Manifest) { m.Layers[0].Size = 1<<63 - 1 },
		"must have at most 4194304 bytes, not -1":                       func(m *v1.Manifest) { m.Layers[0].Size = -1 },
		`must have the media type ` + pluginType + `, not "text/x"`:     func(m *v1.Manifest) { m.Layers[0].MediaType = "text/x" },
		`must be a catalog (` + artifactType + `), not "application/x"`: func(m *v1.Manifest) { m.ArtifactType = "application/x" },
		"must have at most 10000 files, not 10001":                      func(m *v1.Manifest) { m.Layers = make([]v1.Descriptor, maxFiles+1) },
		"must be what its OCI digest says":                              func(m *v1.Manifest) { m.Layers[0].Size-- },
		"plugins/hello-db/1.0.0.yaml must be what its OCI digest sa":    func(m *v1.Manifest) { m.Layers[0].Digest = "sha256:" + digest.Digest(strings.Repeat("0", 64)) },
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			_, _, err := Fetch(context.Background(), stored(t, packed(t, "1.0.0"), change), "v1")
			require.ErrorContains(t, err, want)
		})
	}
}

func TestTotalIsLimited(t *testing.T) {
	t.Parallel()
	m := v1.Manifest{MediaType: v1.MediaTypeImageManifest, ArtifactType: artifactType}
	for i := range 65 {
		name := pathOf("hello-db", "1.0."+string(rune('0'+i/10))+string(rune('0'+i%10)))
		if i < 10 {
			name = pathOf("hello-db", "1.0."+string(rune('0'+i)))
		}
		m.Layers = append(m.Layers, v1.Descriptor{MediaType: pluginType, Size: maxPlugin, Annotations: map[string]string{v1.AnnotationTitle: name}})
	}
	require.ErrorContains(t, check(&m), "the artifact must have at most 268435456 bytes")
}

// TestLinksStayInside: a link in the folder must not make a pull write elsewhere.
func TestLinksStayInside(t *testing.T) {
	t.Parallel()
	inside, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(inside, "plugins")))
	_, _, err := packed(t, "1.0.0").Unpack(context.Background(), inside, false)
	require.Error(t, err)
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	assert.Empty(t, entries)
	assert.NoFileExists(t, filepath.Join(inside, CatalogFile))
}

// A link in the folder stays if it leads to the same content. It is not replaced by another one.
func TestLinksAreNotReplaced(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	_, _, err := packed(t, "1.0.0").Unpack(t.Context(), folder, false)
	require.NoError(t, err)
	catalog, other := filepath.Join(folder, CatalogFile), filepath.Join(folder, "other")
	require.NoError(t, os.Rename(catalog, other))
	require.NoError(t, os.Symlink("other", catalog))
	fresh, _, err := packed(t, "1.0.0").Unpack(t.Context(), folder, false)
	require.NoError(t, err)
	assert.Empty(t, fresh)

	for _, link := range []string{"to a file", "to nothing"} {
		_, _, err = packed(t, "1.0.0", "1.1.0").Unpack(t.Context(), folder, false)
		require.EqualError(t, err, "catalog.yaml must not be a link to another content: remove it, or pull elsewhere", link)
		target, err := os.Readlink(catalog)
		require.NoError(t, err)
		assert.Equal(t, "other", target)
		require.NoError(t, os.RemoveAll(other))
	}
	assert.NoFileExists(t, filepath.Join(folder, "plugins/hello-db/1.1.0.yaml"))
}

func TestPushKeepsWhatIsPublished(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	store := memory.New()
	first, _, err := Push(ctx, store, "v1", packed(t, "1.0.0"), false)
	require.NoError(t, err)
	again, _, err := Push(ctx, store, "v1", packed(t, "1.0.0"), false)
	require.NoError(t, err)
	assert.Equal(t, first, again)
	_, _, err = Push(ctx, store, "v1", packed(t, "1.0.0", "1.1.0"), false)
	require.NoError(t, err)
	_, _, err = Push(ctx, store, "v1", packed(t, "1.0.0"), false)
	require.EqualError(t, err, "hello-db@1.1.0: must stay, since a sandbox may use it: restore it, or yank it; --force drops what is not in the new catalog")
	b, _, err := Fetch(ctx, store, "v1")
	require.NoError(t, err)
	assert.NotNil(t, b.Catalog.Plugin("hello-db").Version("1.1.0"))
}

// FuzzFetch: for any manifest and document, fetching returns an error or the checked content.
func FuzzFetch(f *testing.F) {
	f.Add("plugins/hello-db/1.0.0.yaml", []byte(pluginText("1.0.0")))
	f.Add("plugins/../../x.yaml", []byte("a: &a [*a]"))
	f.Add(CatalogFile, []byte("{}"))
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		b := packed(t, "1.0.0")
		b.Files = maps.Clone(b.Files)
		b.Files[name] = text
		if checkPath(name) == nil && b.verify() == nil {
			_, _, err := b.Unpack(context.Background(), t.TempDir(), false)
			require.NoError(t, err)
		}
	})
}

// A signal that comes while a file is unpacked waits until the file is whole: so does unpacking while one is honoured.
func TestUnpackingIsWhole(t *testing.T) {
	t.Parallel()
	b, folder, ended := packed(t, "1.0.0"), t.TempDir(), make(chan error, 1)
	ctx := (&atomicfile.Guard{}).With(t.Context())
	require.NoError(t, atomicfile.Uninterrupted(ctx, func() error {
		go func() {
			_, _, err := b.Unpack(ctx, folder, false)
			ended <- err
		}()
		time.Sleep(50 * time.Millisecond)
		assert.NoFileExists(t, filepath.Join(folder, CatalogFile))
		return nil
	}))
	require.NoError(t, <-ended)
	assert.FileExists(t, filepath.Join(folder, CatalogFile))
}
