package rplug

import (
	"bytes"
	"context"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/registry"
)

const helloDB = `name: hello-db@1.0.0
spec:
  runner: {image: alpine}
  create:
  - name: hello
    script: |
      #!/bin/sh
      echo hello
`

// TestRegistry pushes to Debian's docker-registry and pulls back, then changes one byte in the registry.
func TestRegistry(t *testing.T) {
	t.Parallel()
	blobs := t.TempDir()
	host := registry.Start(t, blobs)
	work := t.TempDir()
	plugins, back := filepath.Join(work, "plugins"), filepath.Join(work, "back")
	require.NoError(t, os.Mkdir(plugins, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(plugins, "one.yaml"), []byte(helloDB), 0o600))
	must(t, "index", plugins)
	reference := host + "/platform/plugins:v1"
	sum := must(t, "push", reference, "--catalog", filepath.Join(plugins, "catalog.yaml"))
	assert.Equal(t, sum, must(t, "push", reference, "--catalog", filepath.Join(plugins, "catalog.yaml")))
	assert.Equal(t, sum+"plugins/hello-db/1.0.0.yaml\ncatalog.yaml\n", must(t, "pull", reference, back))
	must(t, "lint", back)
	byDigest := host + "/platform/plugins@" + strings.TrimSpace(sum)
	assert.Equal(t, sum, must(t, "pull", byDigest, back))

	tamper(t, blobs)
	code, _, stderr := invoke("pull", reference, filepath.Join(work, "tampered"))
	assert.Equal(t, ExitFindings, code)
	assert.Contains(t, stderr, "plugins/hello-db/1.0.0.yaml must be what its OCI digest says")
	assert.NoDirExists(t, filepath.Join(work, "tampered"))

	code, _, stderr = invoke("pull", host+"/platform/plugins:v2", filepath.Join(work, "none"))
	assert.Equal(t, ExitFindings, code)
	assert.Equal(t, "rplug catalog pull: "+host+"/platform/plugins has no tag \"v2\"\n", stderr)
	code, _, stderr = invoke("pull", host+"/platform/other:v1", filepath.Join(work, "none"))
	assert.Equal(t, ExitFindings, code)
	assert.Equal(t, "rplug catalog pull: "+host+"/platform/other has no tag \"v1\"\n", stderr)
}

func TestRegistryThatCannotBeReached(t *testing.T) {
	t.Parallel()
	plugins := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(plugins, "one.yaml"), []byte(helloDB), 0o600))
	must(t, "index", plugins)
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	host := listener.Addr().String() // nothing listens there after Close
	require.NoError(t, listener.Close())
	code, _, stderr := invoke("push", host+"/platform/plugins:v1", "--catalog", filepath.Join(plugins, "catalog.yaml"))
	assert.Equal(t, ExitFindings, code)
	assert.Equal(t, "rplug catalog push: cannot reach "+host+": connection refused\n", stderr)
	code, _, stderr = invoke("pull", host+"/platform/plugins:v1", plugins)
	assert.Equal(t, ExitFindings, code)
	assert.Equal(t, "rplug catalog pull: cannot reach "+host+": connection refused\n", stderr)
}

// tamper changes one byte of the script that a registry keeps.
func tamper(t *testing.T, folder string) {
	t.Helper()
	changed := 0
	require.NoError(t, filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(text, []byte("echo hello")) {
			return err
		}
		changed++
		return os.WriteFile(name, bytes.Replace(text, []byte("echo hello"), []byte("echo hell0"), 1), 0o600)
	}))
	require.Equal(t, 1, changed)
}

// must runs the command and returns its output.
func must(t *testing.T, args ...string) string {
	t.Helper()
	code, stdout, stderr := invoke(args...)
	require.Zero(t, code, stderr)
	return stdout
}

func invoke(args ...string) (code int, stdout, stderr string) {
	var out, notes bytes.Buffer
	code = Run(context.Background(), append([]string{"catalog"}, args...), strings.NewReader(""), &out, &notes)
	return code, out.String(), notes.String()
}
