package main

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// server is a registry on the loopback device. It counts the requests that change it.
func server(t *testing.T) (host string, changes *atomic.Int32) {
	t.Helper()
	changes = &atomic.Int32{}
	inner := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			changes.Add(1)
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://"), changes
}

func TestPush_keepsDigests(t *testing.T) {
	t.Parallel()
	folder, printed := published(t, functionProduct("render-phase", "a function"), runtimeProduct)
	host, changes := server(t)
	var stdout strings.Builder
	arguments := []string{"push", "-images", folder, "-registry", host + "/mirror"}
	require.NoError(t, run(arguments, &stdout, io.Discard))

	lines := strings.Split(strings.TrimSuffix(stdout.String(), "\n"), "\n")
	require.Len(t, lines, 3)
	assert.Equal(t, "helperImage: "+lines[1], lines[2])
	for i, image := range []string{"render-phase", "runtime"} {
		reference, digest, _ := strings.Cut(lines[i], "@")
		assert.Equal(t, host+"/mirror/"+image+":v0.1.0", reference)
		assert.Contains(t, printed, "ghcr.io/resource-plugins/"+image+":v0.1.0@"+digest+"\n", "the digest of make images")
		tag, err := name.NewTag(reference)
		require.NoError(t, err)
		index, err := remote.Index(tag)
		require.NoError(t, err)
		require.NoError(t, validate.Index(index))
		got, err := index.Digest()
		require.NoError(t, err)
		assert.Equal(t, digest, got.String())
		manifest, err := index.IndexManifest()
		require.NoError(t, err)
		require.Len(t, manifest.Manifests, 2)
		assert.Equal(t, &v1.Platform{OS: "linux", Architecture: "arm64"}, manifest.Manifests[1].Platform)
	}

	first := stdout.String()
	stdout.Reset()
	before := changes.Load()
	require.NoError(t, run(arguments, &stdout, io.Discard))
	assert.Equal(t, first, stdout.String(), "a second push prints the same")
	assert.LessOrEqual(t, changes.Load()-before, int32(6), "blobs are not uploaded twice")
}

func TestPush_refuses(t *testing.T) {
	t.Parallel()
	folder, _ := published(t, functionProduct("render-phase", "a function"), runtimeProduct)
	broken, _ := published(t, functionProduct("render-phase", "a function"), runtimeProduct)
	require.NoError(t, os.WriteFile(filepath.Join(broken, "runtime", "index.json"), []byte(`{"manifests":[]}`), 0o600))
	host, changes := server(t)
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"no registry": {[]string{"-images", folder}, "-registry must be set: make push REGISTRY="},
		"argument":    {[]string{"-registry", host, folder}, "unexpected argument"},
		"no images":   {[]string{"-images", t.TempDir(), "-registry", host}, "must contain images: run make images"},
		"upper case":  {[]string{"-images", folder, "-registry", host + "/Mirror"}, "can only contain the characters"},
		"no host":     {[]string{"-images", folder, "-registry", "mirror"}, "strict validation requires the registry"},
		"broken":      {[]string{"-images", broken, "-registry", host}, "index.json must have 1 manifest, not 0"},
	} {
		var stdout strings.Builder
		err := run(append([]string{"push"}, test.args...), &stdout, io.Discard)
		require.ErrorContains(t, err, test.want, name)
		assert.Empty(t, stdout.String(), name)
	}
	assert.Zero(t, changes.Load(), "nothing is pushed unless all can be")
}

func TestPush_reportsTheRegistrysError(t *testing.T) {
	t.Parallel()
	folder, _ := published(t, runtimeProduct)
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v2/" {
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	defer refusing.Close()
	host := strings.TrimPrefix(refusing.URL, "http://")
	var stdout strings.Builder
	err := run([]string{"push", "-images", folder, "-registry", host}, &stdout, io.Discard)
	require.ErrorContains(t, err, "push "+host+"/runtime:v0.1.0: ")
	assert.Empty(t, stdout.String(), "no line to paste")
}
