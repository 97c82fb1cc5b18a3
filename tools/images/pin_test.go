package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const unpinned = "spec:\n  # a comment\n  runner:\n    image: example/db:1.2\n    namespace: databases\n"

// upload pushes a random index to a registry, and returns its digest.
func upload(t *testing.T, reference string) string {
	t.Helper()
	index, err := random.Index(64, 1, 2)
	require.NoError(t, err)
	tag, err := name.NewTag(reference)
	require.NoError(t, err)
	require.NoError(t, remote.WriteIndex(tag, index))
	digest, err := index.Digest()
	require.NoError(t, err)
	return digest.String()
}

func TestPin_writesDigest(t *testing.T) {
	t.Parallel()
	host, _ := server(t)
	first := upload(t, host+"/mirror/example/db:1.2")
	file := filepath.Join(t.TempDir(), "plugin.yaml")
	require.NoError(t, os.WriteFile(file, []byte(unpinned), 0o600))
	pinnedTo := func(digest string, arguments ...string) {
		t.Helper()
		var stdout strings.Builder
		require.NoError(t, run(append(append([]string{"pin", "-mirror", host + "/mirror"}, arguments...), file), &stdout, io.Discard))
		assert.Equal(t, "example/db:1.2@"+digest+"\n", stdout.String())
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, strings.Replace(unpinned, "db:1.2", "db:1.2@"+digest, 1), string(text))
	}
	pinnedTo(first)
	second := upload(t, host+"/mirror/example/db:1.2")
	require.NotEqual(t, first, second)
	pinnedTo(first)
	pinnedTo(second, "-update")
}

// If one image is not found, no document changes.
func TestPin_refuses(t *testing.T) {
	t.Parallel()
	host, _ := server(t)
	upload(t, host+"/example/db:1.2")
	folder := t.TempDir()
	for name, text := range map[string]string{
		"good": unpinned, "missing": strings.Replace(unpinned, "1.2", "1.3", 1), "none": "spec: {}\n",
		"invalid": strings.Replace(unpinned, "example/db", "Example", 1),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	for name, want := range map[string]string{
		"missing": `missing: image "example/db:1.3": `, "none": "none: must have the line image: below spec.runner",
		"invalid": `invalid: image "Example:1.2": `, "absent": "absent: no such file",
	} {
		err := run([]string{"pin", "-mirror", host, filepath.Join(folder, "good"), filepath.Join(folder, name)}, io.Discard, io.Discard)
		require.ErrorContains(t, err, want)
		text, err := os.ReadFile(filepath.Join(folder, "good"))
		require.NoError(t, err)
		assert.Equal(t, unpinned, string(text))
	}
	require.EqualError(t, run([]string{"pin"}, io.Discard, io.Discard), "plugin documents must be named: images pin plugins/*/plugin.yaml")
}
