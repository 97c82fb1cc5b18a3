package render_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/manifest"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// request is a resource with params that Kubernetes or a shell would like to interpret.
var request = render.Request{
	Sandbox: "feature-x", SandboxID: "nzfyssbriadlc", Resource: "testDB",
	Params: map[string]string{
		"dbname": "$(HOME) $$ it's \"quoted\"\n", "size": "3", "config": "{\n  \"a\": \"$(X)\"\n}\n", "unused": "x",
	},
	Plugin: "plugin@1.0.0", Digest: "sha256:0000000000000000000000000000000000000000000000000000000000000000",
}

// The golden files are what reviewers read: all that becomes of a plugin and a resource.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		folder, file string
		phase        v1alpha1.Phase
		options      render.Options
		request      render.Request
	}{
		{"hello", "create.yaml", v1alpha1.PhaseCreate, render.Options{}, request},
		{"hello", "delete.yaml", v1alpha1.PhaseDelete, render.Options{}, request},
		{"hello", "pod.yaml", v1alpha1.PhaseCreate, render.Options{
			Workload: render.Pod, Namespaces: map[string]string{"default": "sandboxes"}, ImagePullSecrets: []string{"registry"},
		}, request},
		{"postgres", "create.yaml", v1alpha1.PhaseCreate, render.Options{}, request},
		{"postgres", "delete.yaml", v1alpha1.PhaseDelete, render.Options{HelperImage: "example.com/runtime:v9"}, request},
		{"postgres", "teardown.yaml", v1alpha1.PhaseDelete, render.Options{Retries: 1, ImagePullSecrets: []string{"registry"}}, copying()},
		{"files", "create.yaml", v1alpha1.PhaseCreate, render.Options{
			RunnerNamespace: "elsewhere", Retries: 2, StepTimeout: 60, StartTimeout: 90,
		}, request},
		{"files", "copies.yaml", v1alpha1.PhaseCreate, render.Options{}, used("web", "publish", "x")},
	} {
		c.options.RenderedBy = "render-phase"
		blueprint, problems := render.NewBlueprint(read(t, c.folder), c.phase, c.options)
		require.NotNil(t, blueprint, "%v", problems)
		objects, problems := blueprint.Render(c.request)
		require.Empty(t, problems)
		got := printed(append(blueprint.Shared(), objects...))
		file := filepath.Join("testdata", c.folder, c.file)
		if os.Getenv("UPDATE_GOLDEN") != "" {
			require.NoError(t, os.WriteFile(file, got, 0o644))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got), file)
		assert.NotEmpty(t, objects)
	}
}

func read(tb testing.TB, folder string) *document.Plugin {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", folder, "plugin.yaml"))
	require.NoError(tb, err)
	return parse(tb, string(text))
}

func parse(tb testing.TB, text string) *document.Plugin {
	tb.Helper()
	item, err := krm.NewItem([]byte(text))
	require.NoError(tb, err)
	p, problems := document.ReadPlugin(item)
	require.Empty(tb, problems)
	return p
}

func printed(objects []render.Object) []byte {
	documents := make([][]byte, len(objects))
	for i, object := range objects {
		documents[i] = manifest.AppendYAML(nil, object.Tree)
	}
	return bytes.Join(documents, []byte("---\n"))
}
