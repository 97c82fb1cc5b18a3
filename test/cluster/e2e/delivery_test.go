//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// deliveries apply a render with each tool. Helm and kpt run themselves; for Argo CD and Flux, kubectl sends the requests of
// their controllers.
var deliveries = []struct {
	name, delivery string
	deliver        func(t *testing.T, s *testNamespace, manifest string)
}{
	{"kubectl", "kubectl", applied()},
	{"argocd", "argocd", applied()},
	{"argocd-server-side", "argocd", applied("--server-side", "--force-conflicts", "--field-manager=argocd-controller")},
	{"flux", "flux", applied("--server-side", "--force-conflicts", "--field-manager=kustomize-controller")},
	{"helm", "helm", helmUpgrade},
	{"kpt", "kpt", kptLiveApply},
}

// Delivering the same render again after its Jobs have ended changes no objects and runs nothing.
func TestReapplyDelivered(t *testing.T) {
	t.Parallel()
	for _, tool := range deliveries {
		t.Run(tool.name, func(t *testing.T) {
			s := newNamespace(t)
			manifest := render(t, []string{"--delivery", tool.delivery}, s.fan("old"), sandbox("again", "fan", nil))
			tool.deliver(t, s, manifest)
			s.succeeded(3)
			before := s.versions()
			require.NotEmpty(t, before)
			for range 2 {
				tool.deliver(t, s, manifest)
				assert.Equal(t, before, s.versions())
			}
			assert.Equal(t, map[string]int{"first": 1, "left": 1, "right": 1}, s.runs("again"))
		})
	}
}

// versions returns the objects of the namespace with their resource versions, without the Secrets of Helm releases.
func (s *testNamespace) versions() []string {
	s.t.Helper()
	return strings.Fields(must(s.t, "", "get", "jobs,secrets,configmaps,serviceaccounts,roles,rolebindings", "--namespace", s.name,
		"--selector=owner!=helm",
		`--output=jsonpath={range .items[*]}{.kind}/{.metadata.name}@{.metadata.resourceVersion}{"\n"}{end}`))
}

func applied(arguments ...string) func(*testing.T, *testNamespace, string) {
	return func(_ *testing.T, s *testNamespace, manifest string) { s.apply(manifest, arguments...) }
}

// helmUpgrade installs or upgrades a chart with the render as its only template.
func helmUpgrade(t *testing.T, s *testNamespace, manifest string) {
	t.Helper()
	chart := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(chart, "templates"), 0o755))
	for file, text := range map[string]string{
		"Chart.yaml": "apiVersion: v2\nname: sandboxes\nversion: 0.1.0\n", "templates/rendered.yaml": manifest,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(chart, file), []byte(text), 0o644))
	}
	helm(t, s, "upgrade", "--install", "sandboxes", chart)
}

// helm runs helm in the namespace.
func helm(t *testing.T, s *testNamespace, arguments ...string) {
	t.Helper()
	arguments = append(arguments, "--namespace", s.name, "--kubeconfig", filepath.Join(suite.node, "kubeconfig"))
	_, _, err := execute(exec.Command(filepath.Join(checkout.Root(), "bin", "tools", "helm"), arguments...), "")
	require.NoError(t, err)
}

// Uninstalling with helm runs the delete phase while its inputs exist, and no output remains.
func TestLifecycleHelm(t *testing.T) {
	t.Parallel()
	for _, hook := range []string{"PreDelete", "PostDelete"} {
		t.Run(hook, func(t *testing.T) {
			s := newNamespace(t)
			plugin := s.plugin("value@1.0.0", s.overlay(), step{name: "make", script: script("make", good), outputs: []string{"value"}})
			plugin["spec"].(object)["delete"] = []object{
				step{name: "drop", script: script("drop", `[ "$MAKE_VALUE" = "value of hooked" ]`), reads: []string{"make.value"}}.document(),
			}
			arguments := []string{"--delivery", "helm", "--phases", "create,delete", "--delete-hook", hook}
			helmUpgrade(t, s, render(t, arguments, plugin, sandbox("hooked", "value", nil)))
			s.succeeded(1)
			require.Empty(t, s.runs("hooked")["drop"])
			helm(t, s, "uninstall", "sandboxes", "--timeout", timeout.String())
			assert.Equal(t, map[string]int{"make": 1, "drop": 1}, s.runs("hooked"))
			assert.Len(t, s.times(t, "hooked", "drop", "end"), 1, "it read the output")
			assert.Empty(t, s.outputs())
		})
	}
}

// kptLiveApply applies a package with the render.
func kptLiveApply(t *testing.T, s *testNamespace, manifest string) {
	t.Helper()
	program := checkout.Kpt(t)
	folder := filepath.Join(suite.node, "packages", s.name)
	kpt := func(arguments ...string) {
		command := exec.Command(program, arguments...)
		command.Dir, command.Env = folder, append(os.Environ(), "KUBECONFIG="+filepath.Join(suite.node, "kubeconfig"))
		_, _, err := execute(command, "")
		require.NoError(t, err)
	}
	if _, err := os.Stat(folder); err != nil {
		require.NoError(t, os.MkdirAll(folder, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "Kptfile"),
			[]byte("apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: sandboxes\n"), 0o644))
		kpt("live", "install-resource-group")
		kpt("live", "init", "--namespace", s.name, "--name", "sandboxes")
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "rendered.yaml"), []byte(manifest), 0o644))
	kpt("live", "apply", "--reconcile-timeout=20m")
}
