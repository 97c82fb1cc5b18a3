//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// healthCheck returns the health check that users of a tool copy.
func healthCheck(t *testing.T, tool string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(checkout.Root(), "deploy", tool, "health.yaml"))
	require.NoError(t, err)
	return string(text)
}

// needEngines skips a test of the groups TestArgoCD and TestFlux, which need the controllers of delivery only, if those of
// engines were not built.
func needEngines(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(checkout.Root(), "bin", "tools", "controllers", "argo", "argoexec")); err != nil {
		t.Skip("skipped: Argo Workflows and Tekton are not built: make engine-controllers")
	}
}

// Workflows and PipelineRuns are delivered by Argo CD as Jobs are, with the health check of the page for PipelineRuns.
func TestArgoCDEngine(t *testing.T) {
	t.Parallel()
	needEngines(t)
	onEngines(t, func(t *testing.T, engine string) {
		t.Helper()
		s := newEngineNamespace(t, engine)
		s.open(t, "go")
		arguments := append([]string{"--engine", engine}, argoCDArguments...)
		a := newApplication(s)
		must(t, healthCheck(t, "argocd"), "apply", "--server-side", "--field-manager=health", "--filename=-")
		healthy := func(revision string) { a.await(revision, "Synced", "Healthy") }
		deliverLifecycle(s, arguments, a.repository, a.create, healthy, healthy)
		a.await(a.render(render(t, arguments, append(s.kept(), s.failing("exit 3"), sandbox("failed", "failing", nil))...)),
			"Synced", "Degraded")
		observe(t, argoCDName, "a step failed, with an engine", "Synced, Degraded")
	})
}

// The same with Flux and the health checks of its page.
func TestFluxEngine(t *testing.T) {
	t.Parallel()
	needEngines(t)
	onEngines(t, func(t *testing.T, engine string) {
		t.Helper()
		s := newEngineNamespace(t, engine)
		s.open(t, "go")
		arguments := append([]string{"--engine", engine}, fluxArguments...)
		k := newKustomization(s)
		var checked struct {
			Spec struct{ HealthCheckExprs []object }
		}
		require.NoError(t, yaml.Unmarshal([]byte(healthCheck(t, "flux")), &checked))
		require.Len(t, checked.Spec.HealthCheckExprs, 2)
		k.spec["healthCheckExprs"] = checked.Spec.HealthCheckExprs
		k.spec["timeout"] = "1m" // as in TestFluxLifecycle
		deliverLifecycle(s, arguments, k.repository, k.create, k.ready, k.ready)
		message := k.await(k.render(render(t, arguments, append(s.kept(), s.failing("exit 3"), sandbox("failed", "failing", nil))...)),
			"False", "HealthCheckFailed")
		assert.Contains(t, message, "status: 'Failed'")
		observe(t, fluxName, "a step failed, with an engine", "not Ready: HealthCheckFailed")
	})
}
