package oci

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote/auth"
)

func TestPlainHTTPIsForThisMachineAlone(t *testing.T) {
	t.Parallel()
	options := TargetOptions{DockerConfig: filepath.Join(t.TempDir(), "config.json")}
	for reference, plain := range map[string]bool{
		"localhost/x:1": true, "localhost:5000/x:1": true, "127.0.0.1:5000/x:1": true, "127.9.9.9/x:1": true,
		"example.com/x:1": false, "localhost.example.com/x:1": false, "127.0.0.1.example.com/x:1": false,
		"10.0.0.1:5000/x:1": false, "0.0.0.0:5000/x:1": false, "oci://example.com/x:1": false,
	} {
		repo, tag, err := repository(reference, options)
		require.NoError(t, err, reference)
		assert.Equal(t, "1", tag)
		assert.Equal(t, plain, repo.PlainHTTP, reference)
		repo, _, err = repository(reference, TargetOptions{PlainHTTP: true, DockerConfig: options.DockerConfig})
		require.NoError(t, err)
		assert.True(t, repo.PlainHTTP)
	}
}

func TestBadReferences(t *testing.T) {
	t.Parallel()
	options := TargetOptions{DockerConfig: filepath.Join(t.TempDir(), "config.json")}
	for _, reference := range []string{"", "x", "example.com/x", "example.com/X:1", "https://example.com/x:1", "example.com/x:", "example.com/x@sha256:12"} {
		_, _, err := repository(reference, options)
		require.ErrorContains(t, err, "must be REGISTRY/REPOSITORY:TAG", reference)
	}
	for _, reference := range []string{"", "dir", ":v1", "dir:", "dir:a b", "dir:-", "dir@v1", "dir@sha256:12"} {
		_, _, err := split(reference)
		require.ErrorContains(t, err, "must be DIR:TAG or DIR@DIGEST", reference)
	}
	folder, tag, err := split("/a:b/dir:v1")
	require.NoError(t, err)
	assert.Equal(t, []string{"/a:b/dir", "v1"}, []string{folder, tag})
}

func TestCredentialsAreDockers(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "config.json")
	require.NoError(t, os.WriteFile(config, []byte(`{"auths":{"example.com":{"auth":"dXNlcjpwYXNz"}},"credsStore":"must-not-run"}`), 0o600))
	repo, _, err := repository("example.com/x:1", TargetOptions{DockerConfig: config})
	require.NoError(t, err)
	client, ok := repo.Client.(*auth.Client)
	require.True(t, ok)
	for host, user := range map[string]string{"example.com": "user", "example.org": ""} {
		found, err := client.Credential(context.Background(), host)
		require.NoError(t, err)
		assert.Equal(t, user, found.Username)
	}
	require.NoError(t, os.WriteFile(config, []byte(`{`), 0o600))
	_, _, err = repository("example.com/x:1", TargetOptions{DockerConfig: config})
	assert.ErrorContains(t, err, "docker's configuration must be readable")
}

func TestRedirectsStayEncrypted(t *testing.T) {
	t.Parallel()
	request := func(url string) *http.Request {
		r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, http.NoBody)
		require.NoError(t, err)
		return r
	}
	secure, plain := request("https://example.com/x"), request("http://example.com/x")
	require.NoError(t, stayEncrypted(secure, []*http.Request{secure}))
	require.NoError(t, stayEncrypted(plain, []*http.Request{plain}))
	require.ErrorContains(t, stayEncrypted(plain, []*http.Request{secure}), "not encrypted")
	require.ErrorContains(t, stayEncrypted(secure, make([]*http.Request, 10)), "more than 10 times")
}

func TestLargeIndexIsRefused(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "index.json"), nil, 0o600))
	require.NoError(t, os.Truncate(filepath.Join(folder, "index.json"), maxIndex+1))
	_, _, err := OpenSource(context.Background(), folder+":v1", TargetOptions{Layout: true})
	require.ErrorContains(t, err, "index.json must have at most 4194304 bytes")
	_, _, err = OpenTarget(context.Background(), folder+":v1", TargetOptions{Layout: true})
	require.ErrorContains(t, err, "index.json must have at most 4194304 bytes")
	_, _, err = OpenSource(context.Background(), filepath.Join(folder, "gone")+":v1", TargetOptions{Layout: true})
	require.ErrorIs(t, err, os.ErrNotExist)
	assert.NoDirExists(t, filepath.Join(folder, "gone"))
}

// A tag that moves leaves the manifest that it had, once, to be pulled by its digest.
func TestLayoutKeepsManifests(t *testing.T) {
	t.Parallel()
	ctx, folder := context.Background(), filepath.Join(t.TempDir(), "store")
	var digests []string
	for _, push := range []struct {
		tag      string
		versions []string
	}{
		{"v1", []string{"1.0.0"}},
		{"v2", []string{"1.0.0"}},
		{"v1", []string{"1.0.0", "1.1.0"}},
		{"v2", []string{"1.0.0", "1.1.0"}},
	} {
		target, tag, err := OpenTarget(ctx, folder+":"+push.tag, TargetOptions{Layout: true})
		require.NoError(t, err)
		sum, _, err := Push(ctx, target, tag, packed(t, push.versions...), false)
		require.NoError(t, err)
		require.NoError(t, target.Close())
		digests = append(digests, sum)
	}
	source, _, err := OpenSource(ctx, folder+":v1", TargetOptions{Layout: true})
	require.NoError(t, err)
	for _, reference := range []string{"v1", "v2", digests[0], digests[3]} {
		_, _, err := Fetch(ctx, source, reference)
		require.NoError(t, err, reference)
	}
	text, err := os.ReadFile(filepath.Join(folder, "index.json"))
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(text), digests[0]), "%s", text)
	assert.Equal(t, 2, strings.Count(string(text), digests[3]), "%s", text)

	require.NoError(t, os.WriteFile(filepath.Join(folder, "index.json"), nil, 0o600))
	_, _, err = OpenTarget(ctx, folder+":v1", TargetOptions{Layout: true})
	require.ErrorContains(t, err, "invalid OCI Image Index")
}

func TestExplain(t *testing.T) {
	t.Parallel()
	lookup := &net.DNSError{Err: "no such host", Name: "ghcr.io", Server: "10.0.0.53:53", IsNotFound: true}
	get := func(err error) error { return &url.Error{Op: "Get", URL: "https://ghcr.io/v2/", Err: err} }
	const digest = "sha256:0000000000000000000000000000000000000000000000000000000000000000"
	other := errors.New("the manifest must be JSON")
	for _, c := range []struct {
		err                  error
		reference, tag, want string
	}{
		{errdef.ErrNotFound, "localhost:5055/platform/plugins:v9", "v9", `localhost:5055/platform/plugins has no tag "v9"`},
		{errdef.ErrNotFound, "oci://ghcr.io/p/x:v9", "v9", `ghcr.io/p/x has no tag "v9"`},
		{errdef.ErrNotFound, "ghcr.io/p/x@" + digest, digest, `ghcr.io/p/x has no digest "` + digest + `"`},
		{errdef.ErrNotFound, "store:v9", "v9", `store has no tag "v9"`},
		{
			fmt.Errorf("what it has: %w", get(&net.OpError{Op: "dial", Net: "tcp", Err: lookup})),
			"ghcr.io/p/x:v1", "v1", "cannot reach ghcr.io: no such host",
		},
		{
			get(&net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}),
			"ghcr.io:5000/p/x:v1", "v1", "cannot reach ghcr.io:5000: connection refused",
		},
		{get(errors.New("tls: bad certificate")), "ghcr.io/p/x:v1", "v1", "cannot reach ghcr.io: tls: bad certificate"},
		{other, "ghcr.io/p/x:v1", "v1", "the manifest must be JSON"},
	} {
		assert.EqualError(t, Explain(c.err, c.reference, c.tag), c.want)
	}
}
