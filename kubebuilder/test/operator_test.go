package kubebuilder

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/scaffold"
	"github.com/resource-plugins/krm-functions/kubebuilder/internal/plugin"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
	"github.com/resource-plugins/krm-functions/test/framework/goproxy"
)

// controllerTools are the versions of controller-gen that `make generate` installs.
var controllerTools = map[string]string{"kubebuilder": "v0.21.0", "kubebuilder45": "v0.17.2", "host": "v0.21.0"}

// After go/v4, the plugin's operator compiles, renders the plugin, and passes its tests. Its modules come from a proxy with
// this checkout, from the module cache, and otherwise from the network.
//
//nolint:tparallel // one after the other: each compiles for minutes
func TestScaffoldBehindGo(t *testing.T) {
	t.Parallel()
	source, proxy := t.TempDir(), t.TempDir()
	require.NoError(t, checkout.Copy(source))
	goproxy.Publish(t, source, proxy, scaffold.Release)
	modules := goproxy.Environment(t, proxy, t.TempDir())
	for _, name := range append(slices.Clone(releases), "host") {
		t.Run(name, func(t *testing.T) {
			s, run := newShell(t, modules...), runner(ownHost)
			if name == "host" {
				s.env = append(s.env, "PATH="+filepath.Dir(checkout.Tool(t, "kubebuilder"))+":"+s.path())
			} else {
				run = realKubebuilder(checkout.Tool(t, name))
			}
			s.needModule("sigs.k8s.io/controller-tools", controllerTools[name])
			run(s, "init", "--plugins", "go/v4,"+plugin.Key, "--domain", "example.org", "--repo", "example.org/operator",
				"--fetch-deps=false", "--cluster", "demo")
			s.check(0)
			run(s, "create api", append(slices.Clone(createAPI), "--resource", "--controller", "--make=false")...)
			s.check(1)
			run(s, "edit", "--plugin", "postgres-db", "--to", "1.1.0")
			before := s.files()
			assert.Contains(t, before["internal/controller/postgresdb_controller.go"], `Plugin: "postgres-db@1.0.0",`)
			assert.NotContains(t, before["go.mod"], "replace")
			assert.Contains(t, before["go.mod"], scaffold.Module+" "+scaffold.Release)
			assert.Contains(t, before["Dockerfile"]+before[".dockerignore"], "plugins/")
			if name != "kubebuilder45" { // its webhooks do not compile with the version of controller-runtime that plugins need
				run(s, "create webhook", append(slices.Clone(gvk), "--programmatic-validation", "--make=false")...)
				assert.Contains(t, s.files(), "policies/postgres-db.yaml")
			}
			s.compile()
		})
	}
}

// path returns the PATH of commands.
func (s *shell) path() (path string) {
	for _, variable := range s.env {
		if value, isPath := strings.CutPrefix(variable, "PATH="); isPath {
			path = value
		}
	}
	return path
}

// needModule skips the test if a module is neither in the cache nor on the network.
func (s *shell) needModule(module, version string) {
	s.t.Helper()
	command := exec.CommandContext(s.t.Context(), "go", "mod", "download", module+"@"+version)
	command.Dir, command.Env = s.folder, s.env
	if out, err := command.CombinedOutput(); err != nil {
		checkout.LeaveOut(s.t, "modules of an operator cannot be downloaded: %s", out)
	}
}

// compile compiles the operator and its tests. Tests of controllers need the programs of envtest, so they do not run.
func (s *shell) compile() {
	s.t.Helper()
	s.run("go", "mod", "tidy")
	s.run("make", "generate")
	s.run("go", "vet", "./...")
	assert.Contains(s.t, s.run("go", "test", "./plugins"), "ok")
}
