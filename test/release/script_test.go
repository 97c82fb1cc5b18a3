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
	"oras.land/oras-go/v2"
	"oras.land/oras-go/v2/registry/remote"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
	"github.com/resource-plugins/krm-functions/test/framework/registry"
)

// Signing needs the identity of a workflow, so the test only records the files that would be signed.
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
	publishImagesOfPlugins(t, host)
	signed := filepath.Join(t.TempDir(), "signed")
	run := exec.Command(filepath.Join(folder, ".ci", "release"), "images")
	run.Env = append(os.Environ(), "MAKEFLAGS=", "SIGNED="+signed, "PATH="+tools+":"+os.Getenv("PATH"),
		"PLATFORMS=linux/"+runtime.GOARCH, "DOCKER_CONFIG="+t.TempDir(), "MIRROR="+host+"/mirror")
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
		repository, tag, _ := strings.Cut(strings.TrimPrefix(named, prefix+"/"), ":")
		assert.Contains(t, []string{contract.ImageTag, "stable"}, tag)
		repositories = append(repositories, repository)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodHead,
			"http://"+host+"/v2/plugins/"+repository+"/manifests/"+tag, http.NoBody)
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
	want := append(folders(t, "functions"), "runtime", "unpacker", "examples", "plugins")
	assert.ElementsMatch(t, want, repositories)
	sums, err := os.ReadFile(filepath.Join(folder, "bin", "images", "checksums.txt"))
	require.NoError(t, err)
	assert.Len(t, strings.Split(strings.TrimSpace(string(sums)), "\n"), len(want))
	for line := range strings.Lines(string(sums)) {
		assert.Regexp(t, `^[0-9a-f]{64}  `+regexp.QuoteMeta(prefix)+`/[a-z-]+\n$`, line)
	}
}

// publishImagesOfPlugins pushes an image for each image of plugins/ to the mirror of the registry.
func publishImagesOfPlugins(t *testing.T, host string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(checkout.Root(), "plugins", "*", "plugin.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		image := regexp.MustCompile(`(?m)^    image: (\S+)$`).FindStringSubmatch(string(text))[1]
		if !strings.Contains(image, "/") {
			image = "library/" + image
		}
		repository, tag, _ := strings.Cut(image, ":")
		store, err := remote.NewRepository(host + "/mirror/" + repository)
		require.NoError(t, err)
		store.PlainHTTP = true
		manifest, err := oras.PackManifest(t.Context(), store, oras.PackManifestVersion1_1, "application/example", oras.PackManifestOptions{})
		require.NoError(t, err)
		require.NoError(t, store.Tag(t.Context(), manifest, tag))
	}
}

// TestScript_publishesPluginsOnce runs the function plugins of .ci/release twice: a version is published with the digest that its
// image had then, and never changes.
func TestScript_publishesPluginsOnce(t *testing.T) {
	host := registry.Start(t, t.TempDir())
	folder, tools := t.TempDir(), t.TempDir()
	require.NoError(t, checkout.Copy(folder))
	require.NoError(t, os.WriteFile(filepath.Join(tools, "cosign"), []byte("#!/bin/sh\n"), 0o755)) //nolint:gosec // a program
	require.NoError(t, checkout.BuildProgram(filepath.Join(folder, "bin", "rplug"), "cmd/rplug"))
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "bin", "images"), 0o750))
	publish := func() string {
		publishImagesOfPlugins(t, host)
		run := exec.Command(filepath.Join(folder, ".ci", "release"), "plugins", host+"/plugins:stable")
		run.Env = append(os.Environ(), "PATH="+tools+":"+os.Getenv("PATH"), "DOCKER_CONFIG="+t.TempDir(), "MIRROR="+host+"/mirror")
		out, err := run.CombinedOutput()
		require.NoError(t, err, string(out))
		text, err := os.ReadFile(filepath.Join(folder, "bin", "plugins", "plugins", "postgres", "1.0.0.yaml"))
		require.NoError(t, err)
		return regexp.MustCompile(`(?m)^    image: (.*)$`).FindStringSubmatch(string(text))[1]
	}
	first := publish()
	assert.Regexp(t, `^postgres:17-alpine@sha256:[0-9a-f]{64}$`, first)
	assert.Equal(t, first, publish())

	document := filepath.Join(folder, "plugins", "postgres", "plugin.yaml")
	text, err := os.ReadFile(document)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(document, []byte(strings.Replace(string(text), "postgres@1.0.0", "postgres@1.0.1", 1)), 0o600))
	assert.Equal(t, first, publish())
	catalog, err := os.ReadFile(filepath.Join(folder, "bin", "plugins", "catalog.yaml"))
	require.NoError(t, err)
	assert.Contains(t, string(catalog), "      stable: 1.0.1\n")
}
