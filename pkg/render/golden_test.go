package render

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/engine/argo"
	"github.com/resource-plugins/krm-functions/internal/engine/tekton"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// testRequest is a resource with params that Kubernetes or a shell would like to interpret.
var testRequest = request{
	Sandbox: "feature-x", SandboxID: "nzfyssbriadlc", RoutingKey: "kxyz2aaaaaaaa", Resource: "testDB",
	Params: map[string]string{
		"dbname": "$(HOME) $$ it's \"quoted\"\n", "size": "3", "config": "{\n  \"a\": \"$(X)\"\n}\n", "unused": "x",
	},
	Plugin: "plugin@1.0.0", Digest: "sha256:0000000000000000000000000000000000000000000000000000000000000000",
}

// The golden files are for reviewers: they show all objects of a plugin and a resource.
func TestGolden(t *testing.T) {
	t.Parallel()
	elsewhere := used("web", "publish", "x")
	for _, c := range []struct {
		folder, file string
		phase        v1alpha1.Phase
		options      Options
		testRequest  request
	}{
		{"hello", "create.yaml", v1alpha1.PhaseCreate, DefaultOptions(), testRequest},
		{"hello", "delete.yaml", v1alpha1.PhaseDelete, DefaultOptions(), testRequest},
		{"hello", "pod.yaml", v1alpha1.PhaseCreate, changed(func(o *Options) {
			o.Workload, o.Namespaces, o.ImagePullSecrets = pod, map[string]string{"default": "sandboxes"}, []string{"registry"}
		}), testRequest},
		{"postgres", "create.yaml", v1alpha1.PhaseCreate, DefaultOptions(), testRequest},
		{"postgres", "delete.yaml", v1alpha1.PhaseDelete, changed(func(o *Options) { o.HelperImage = "example.com/runtime:v9" }), testRequest},
		{"postgres", "teardown.yaml", v1alpha1.PhaseDelete, changed(func(o *Options) {
			o.Retries, o.ImagePullSecrets = 1, []string{"registry"}
		}), copying()},
		{"files", "create.yaml", v1alpha1.PhaseCreate, changed(func(o *Options) {
			o.RunnerNamespace, o.Retries, o.StepTimeoutSeconds, o.StartTimeoutSeconds = "elsewhere", 2, 60, 90
		}), testRequest},
		{"files", "copies.yaml", v1alpha1.PhaseCreate, DefaultOptions(), elsewhere},
		{"hello", "argo.yaml", v1alpha1.PhaseCreate, running(argo.Name), testRequest},
		{"hello", "tekton.yaml", v1alpha1.PhaseCreate, running(tekton.Name), testRequest},
		{"files", "argo.yaml", v1alpha1.PhaseCreate, running(argo.Name), elsewhere},
		{"files", "tekton.yaml", v1alpha1.PhaseCreate, running(tekton.Name), elsewhere},
		{"postgres", "argo-teardown.yaml", v1alpha1.PhaseDelete, running(argo.Name, func(o *Options) {
			o.Retries, o.TTLSecondsAfterFinished, o.PodSecurity = 2, 600, restricted
		}), copying()},
		{"files", "tekton-teardown.yaml", v1alpha1.PhaseDelete, running(tekton.Name, func(o *Options) { o.Retries = 2 }), elsewhere},
	} {
		c.options.Phases = []string{string(c.phase)}
		compiled, problems := compile(read(t, c.folder), c.phase, c.options, variant{})
		require.NotNil(t, compiled, "%v", problems)
		objects, problems := compiled.render(&c.testRequest)
		require.Empty(t, problems)
		got := printed(append(compiled.scripts, objects...))
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

// running returns options with another engine.
func running(name string, changes ...func(*Options)) Options {
	return changed(func(o *Options) {
		o.Engine = name
		for _, change := range changes {
			change(o)
		}
	})
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

func printed(objects []object) []byte {
	documents := make([][]byte, len(objects))
	for i, object := range objects {
		documents[i] = object.yaml(nil)
	}
	return bytes.Join(documents, []byte("---\n"))
}
