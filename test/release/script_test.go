//go:build e2e

package release

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
	"github.com/resource-plugins/krm-functions/test/framework/registry"
)

// Signing needs the identity of a workflow, so the test only records what would be signed.
const (
	cosign = "#!/bin/sh\necho \"$*\" >> \"$SIGNED\"\n"
	syft   = "#!/bin/sh\nfor last; do :; done\necho '{}' > \"${last#spdx-json=}\"\ntest -f \"${2#oci-dir:}/index.json\"\n"
)

// TestScript_pushesWhatItSigns runs `.ci/release images` with a local registry: every signed digest is the digest of an
// image, or of the catalog, in the registry.
func TestScript_pushesWhatItSigns(t *testing.T) {
	host := registry.Start(t, t.TempDir())
	folder, tools := t.TempDir(), t.TempDir()
	require.NoError(t, checkout.Copy(folder))
	names := filepath.Join(folder, "internal", "contract", "image.go")
	text, err := os.ReadFile(names)
	require.NoError(t, err)
	prefix := host + "/plugins"
	require.NoError(t, os.WriteFile(names, []byte(strings.Replace(string(text), contract.ImageRegistry, prefix, 1)), 0o600))
	for name, text := range map[string]string{"cosign": cosign, "syft": syft} {
		require.NoError(t, os.WriteFile(filepath.Join(tools, name), []byte(text), 0o755)) //nolint:gosec // a program
	}
	signed := filepath.Join(t.TempDir(), "signed")
	run := exec.Command(filepath.Join(folder, ".ci", "release"), "images")
	run.Env = append(os.Environ(), "MAKEFLAGS=", "SIGNED="+signed, "PATH="+tools+":"+os.Getenv("PATH"),
		"PLATFORMS=linux/"+runtime.GOARCH, "DOCKER_CONFIG="+t.TempDir())
	out, err := run.CombinedOutput()
	require.NoError(t, err, string(out))
	pasted := regexp.MustCompile(`(?m)^helperImage: (.*)$`).FindStringSubmatch(string(out))
	require.NotNil(t, pasted, string(out))

	lines, err := os.ReadFile(signed)
	require.NoError(t, err)
	var repositories []string
	for line := range strings.Lines(string(lines)) {
		reference, ok := strings.CutPrefix(strings.TrimSpace(line), "sign --yes ")
		if !ok {
			assert.Contains(t, line, "attest --yes --type spdxjson --predicate bin/images/")
			continue
		}
		named, digest, _ := strings.Cut(reference, "@")
		repository := strings.TrimSuffix(strings.TrimPrefix(named, prefix+"/"), ":"+contract.ImageTag)
		repositories = append(repositories, repository)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodHead,
			"http://"+host+"/v2/plugins/"+repository+"/manifests/"+contract.ImageTag, http.NoBody)
		require.NoError(t, err)
		request.Header.Set("Accept", "application/vnd.oci.image.index.v1+json, application/vnd.oci.image.manifest.v1+json")
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		assert.Equal(t, digest, response.Header.Get("Docker-Content-Digest"), "what %s is in the registry", repository)
		if repository == "runtime" {
			assert.Equal(t, reference, pasted[1], "the line to paste")
		}
	}
	want := append(folders(t, "functions"), "runtime", "unpacker", "examples")
	assert.ElementsMatch(t, want, repositories)
	sums, err := os.ReadFile(filepath.Join(folder, "bin", "images", "checksums.txt"))
	require.NoError(t, err)
	assert.Len(t, strings.Split(strings.TrimSpace(string(sums)), "\n"), len(want))
	for line := range strings.Lines(string(sums)) {
		assert.Regexp(t, `^[0-9a-f]{64}  `+regexp.QuoteMeta(prefix)+`/[a-z-]+\n$`, line)
	}
}
