package oci

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// serve starts a registry with one bundle, whose blobs are sent by send, and opens it.
func serve(t *testing.T, b *Bundle, limit time.Duration, send func(http.ResponseWriter, *http.Request, []byte)) (Target, string) {
	t.Helper()
	manifest, err := b.manifest()
	require.NoError(t, err)
	blobs := map[string][]byte{"/v2/platform/manifests/v1": manifest}
	for _, text := range b.Files {
		blobs["/v2/platform/blobs/"+digest.FromBytes(text).String()] = text
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := blobs[strings.Replace(r.URL.Path, digest.FromBytes(manifest).String(), "v1", 1)]
		switch {
		case !ok:
			http.NotFound(w, r)
		case strings.Contains(r.URL.Path, "/blobs/"):
			send(w, r, text)
		default:
			w.Header().Set("Content-Type", v1.MediaTypeImageManifest)
			w.Header().Set("Docker-Content-Digest", digest.FromBytes(manifest).String())
			_, _ = w.Write(text)
		}
	}))
	t.Cleanup(server.Close)
	options := TargetOptions{DockerConfig: filepath.Join(t.TempDir(), "config.json"), StallTimeout: limit}
	target, tag, err := OpenTarget(t.Context(), strings.TrimPrefix(server.URL, "http://")+"/platform:v1", options)
	require.NoError(t, err)
	return target, tag
}

func TestStalledBlobs(t *testing.T) {
	t.Parallel()
	b := packed(t, "1.0.0")
	target, tag := serve(t, b, 200*time.Millisecond, func(w http.ResponseWriter, r *http.Request, text []byte) {
		_, _ = w.Write(text[:10])
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	_, _, err := Fetch(t.Context(), target, tag)
	require.ErrorContains(t, err, ".yaml: registry has not sent or received anything for 200ms: try again")
	assert.NotContains(t, err.Error(), "OCI digest")
}

// A slow transfer is not ended as long as something comes.
func TestSlowBlobs(t *testing.T) {
	t.Parallel()
	b := packed(t, "1.0.0")
	const limit = time.Second
	target, tag := serve(t, b, limit, func(w http.ResponseWriter, _ *http.Request, text []byte) {
		for part := range bytes.SplitAfterSeq(text, []byte("e")) {
			time.Sleep(limit / 10)
			_, _ = w.Write(part)
			_ = http.NewResponseController(w).Flush()
		}
	})
	began := time.Now()
	_, _, err := Fetch(t.Context(), target, tag)
	require.NoError(t, err)
	assert.Greater(t, time.Since(began), limit)
}

func TestStalledUpload(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-done }))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(done) })
	client := http.Client{Transport: transport(200 * time.Millisecond)}
	body := io.LimitReader(zeros{}, 1<<30)
	request, err := http.NewRequestWithContext(context.Background(), http.MethodPut, server.URL, body)
	require.NoError(t, err)
	response, err := client.Do(request)
	if err == nil {
		_ = response.Body.Close()
	}
	var stalled *stalledError
	require.ErrorAs(t, err, &stalled)
}

// zeros is a body without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }
