package command_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opencontainers/go-digest"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/stacks/command"
	"github.com/resource-plugins/krm-functions/test/framework/ociimage"
	"github.com/resource-plugins/krm-functions/test/framework/script"
)

var extension = command.Extension()

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"rplug": func() { rplug.Main(extension) }})
}

// TestScripts runs whole commands.
func TestScripts(t *testing.T) {
	t.Parallel()
	script.Run(t, testscript.Params{
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"image": ociimage.Script},
	})
}

// The image of a tar is known, so that the record has its name, and the tag as its version.
func TestUnpack_readsTarOfDockerSave(t *testing.T) {
	t.Parallel()
	layer := tarOf(t, ".registry/app.yaml", "permissionScope: Namespaced")
	config := fmt.Sprintf(`{"architecture": "amd64", "os": "linux", "rootfs": {"type": "layers", "diff_ids": [%q]}}`,
		digest.FromString(layer))
	configFile := digest.FromString(config).Encoded() + ".json"
	manifest := fmt.Sprintf(`[{"Config": %q, "RepoTags": ["acme/cache:v7"], "Layers": ["layer.tar"]}]`, configFile)
	file := filepath.Join(t.TempDir(), "image.tar")
	image := tarOf(t, "layer.tar", layer, configFile, config, "manifest.json", manifest)
	require.NoError(t, os.WriteFile(file, []byte(image), 0o600))

	var out, messages bytes.Buffer
	code := rplug.Run(t.Context(), []string{"unpack", file}, strings.NewReader(""), &out, &messages, extension)
	assert.Equal(t, rplug.ExitClean, code, messages.String())
	assert.Contains(t, out.String(), "\n  name: cache\n")
	assert.Contains(t, out.String(), "\n  version: v7\n")
}

// tarOf returns a tar of files, each a name and its content.
func tarOf(t *testing.T, files ...string) string {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: files[i], Mode: 0o644, Size: int64(len(files[i+1]))}))
		_, err := w.Write([]byte(files[i+1]))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return out.String()
}
