package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/render"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

func compatible(o *render.Options) { o.Compatible = render.V010 }

// compatibleJob renders a request and returns the document that is added.
func compatibleJob(t *testing.T, request string) string {
	t.Helper()
	list := listOf(t, request)
	summary := rendered(t, list, compatible)
	require.Len(t, summary.Objects, 1, messages(list))
	text, err := summary.Objects[0].Bytes()
	require.NoError(t, err)
	return string(text)
}

// Jobs equal those of crossplane v0.10.0 byte for byte.
func TestCompatibleJob(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "compatible.txtar"))
	require.NoError(t, err)
	require.Zero(t, len(archive.Files)%2)
	for i := 0; i < len(archive.Files); i += 2 {
		assert.Equal(t, string(archive.Files[i+1].Data), compatibleJob(t, string(archive.Files[i].Data)), archive.Files[i].Name)
	}
}

// So do those for the requests of the corpus.
func TestCompatibleJob_corpus(t *testing.T) {
	t.Parallel()
	corpus := filepath.Join(checkout.Corpus(t), "stacks", "jobs")
	requests, err := filepath.Glob(filepath.Join(corpus, "*.input.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, requests, corpus)
	for _, name := range requests {
		request, err := os.ReadFile(name)
		require.NoError(t, err)
		want, err := os.ReadFile(strings.TrimSuffix(name, ".input.yaml") + ".job.yaml")
		require.NoError(t, err)
		assert.Equal(t, string(want), compatibleJob(t, string(request)), name)
	}
}

func TestCompatibleJob_images(t *testing.T) {
	t.Parallel()
	list := listOf(t, file(t, "request.yaml"))
	summary := rendered(t, list, func(o *render.Options) {
		o.Compatible, o.ExecutorImage, o.TemplatingImage = render.V010, "r.example.org/crossplane:v9", "r.example.org/templates:v9"
	})
	got := printed(t, list, summary.Objects)
	assert.Contains(t, got, "image: r.example.org/crossplane:v9\n")
	assert.Contains(t, got, "- --templating-controller-image=r.example.org/templates:v9\n")
}

// The second run replaces the Job of the first run, and no other Job.
func TestCompatibleJob_again(t *testing.T) {
	t.Parallel()
	request := file(t, "request.yaml")
	list := listOf(t, request)
	rendered(t, list, compatible)
	first := text(t, list)
	list = again(t, list)
	rendered(t, list, compatible)
	assert.Equal(t, first, text(t, list))
	local, _ := list.Items()[0].Annotation(contract.LocalConfigKey)
	assert.Equal(t, "true", local)

	list = listOf(t, request, "apiVersion: batch/v1\nkind: Job\nmetadata: {name: my-redis, namespace: shop}\n")
	rendered(t, list, compatible)
	assert.Contains(t, messages(list), `metadata.name: must not be "my-redis", which is the name of another Job: remove that one`)
}

func TestCompatibleJob_refuses(t *testing.T) {
	t.Parallel()
	request := file(t, "request.yaml")
	extension := strings.NewReplacer("stacks.crossplane.io", "extensions.crossplane.io", "StackInstall", "ExtensionRequest").Replace(request)
	for document, says := range map[string]string{
		extension: `kind: must be StackInstall or ClusterStackInstall, which crossplane v0.10 knows, not "ExtensionRequest"`,
		strings.Replace(request, "acme/redis:v0.1.0", "[a]", 1): "spec: must be that of a request: ",
	} {
		list := listOf(t, document)
		rendered(t, list, compatible)
		assert.Contains(t, messages(list), says)
		assert.True(t, list.Results().Failed())
	}
}
