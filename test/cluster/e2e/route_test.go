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

// apis lists the files with the CustomResourceDefinitions of routes by the module that tools/crds pins.
var apis = map[string]string{
	"sigs.k8s.io/gateway-api": "config/crd/standard/gateway.networking.k8s.io_httproutes.yaml",
	"istio.io/api":            "kubernetes/customresourcedefinitions.gen.yaml",
}

// The API server accepts all golden routes, and examples/shop with either routing, with the real CustomResourceDefinitions.
func TestAcceptedRoutes(t *testing.T) {
	s := newNamespace(t)
	install(t)
	golden, err := filepath.Glob(filepath.Join(checkout.Root(), "pkg", "render", "sandbox", "testdata", "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, golden)
	for _, file := range golden {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		checkAccepted(t, s.inNamespace(string(text)), file)
	}
	for _, routing := range []string{"gateway-api", "istio"} {
		shop := function(t, "render-sandbox", "", "--routing", routing, "--baseline",
			filepath.Join(checkout.Root(), "examples", "postgres", "plugin.yaml"), filepath.Join(checkout.Root(), "examples", "shop"))
		checkAccepted(t, s.inNamespace(withoutInputs(shop)), "examples/shop with "+routing)
	}
}

func TestAcceptedRoutesCanFail(t *testing.T) {
	s := newNamespace(t)
	install(t)
	text, err := os.ReadFile(filepath.Join(checkout.Root(), "pkg", "render", "sandbox", "testdata", "gateway-api.yaml"))
	require.NoError(t, err)
	for what, change := range map[string][2]string{
		"invalid value": {"type: Exact", "type: Same"},
		"unknown field": {"kind: Service", "kind: Service\n    colour: red"},
	} {
		broken := strings.Replace(s.inNamespace(string(text)), change[0], change[1], 1)
		require.NotEqual(t, s.inNamespace(string(text)), broken, what)
		_, err := kubectl(broken, "create", "--dry-run=server", "--validate=strict", "-f", "-")
		assert.Error(t, err, what)
	}
}

// install installs the CustomResourceDefinitions of routes.
func install(t *testing.T) {
	t.Helper()
	for module, file := range apis {
		definitions := filepath.Join(moduleFolder(t, module), file)
		must(t, "", "apply", "--server-side", "--force-conflicts", "-f", definitions)
		eventually(t, func() (string, error) { // kubectl wait fails while the conditions of a new definition are null
			_, err := kubectl("", "wait", "--for=condition=Established", "--timeout=1m", "-f", definitions)
			return "", err
		})
	}
}

// inNamespace replaces the namespaces of manifests with this one.
func (s *testNamespace) inNamespace(text string) string {
	for _, namespace := range []string{"shop", "infra"} {
		text = strings.ReplaceAll(text, "namespace: "+namespace+"\n", "namespace: "+s.name+"\n")
	}
	return text
}

// withoutInputs removes documents that are not applied.
func withoutInputs(stream string) string {
	var plain []string
	for _, text := range strings.Split(stream, "\n---\n") {
		if !strings.Contains(text, "\nkind: Sandbox\n") && !strings.Contains(text, "\nkind: ResourcePlugin\n") {
			plain = append(plain, text)
		}
	}
	return strings.Join(plain, "\n---\n")
}

// moduleFolder downloads a module that tools/crds pins, and returns its folder.
func moduleFolder(t *testing.T, module string) string {
	t.Helper()
	for _, arguments := range [][]string{{"mod", "download", module}, {"list", "-m", "-f", "{{.Dir}}", module}} {
		command := exec.Command("go", arguments...)
		command.Dir, command.Env = filepath.Join(checkout.Root(), "tools", "crds"), append(os.Environ(), "GOWORK=off")
		stdout, _, err := execute(command, "")
		require.NoError(t, err)
		if folder := strings.TrimSpace(stdout); folder != "" {
			return folder
		}
	}
	t.Fatalf("tools/crds has no module %s", module)
	return ""
}
