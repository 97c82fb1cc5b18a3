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

	"github.com/resource-plugins/krm-functions/test/checkout"
)

// apis are the files with the CustomResourceDefinitions of routes, in the modules that tools/crds pins.
var apis = map[string]string{
	"sigs.k8s.io/gateway-api": "config/crd/standard/gateway.networking.k8s.io_httproutes.yaml",
	"istio.io/api":            "kubernetes/customresourcedefinitions.gen.yaml",
}

// The API server takes all golden routes of package route, and examples/shop with either routing, under the real
// definitions; and it refuses what these forbid.
func TestAcceptedRoutes(t *testing.T) {
	s := newSpace(t)
	install(t)
	golden, err := filepath.Glob(filepath.Join(checkout.Root(), "pkg", "route", "testdata", "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, golden)
	for _, file := range golden {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		checkAccepted(t, s.moved(string(text)), file)
	}
	for _, routing := range []string{"gateway-api", "istio"} {
		shop := function(t, "render-sandbox", "", "--routing", routing, "--baseline",
			filepath.Join(checkout.Root(), "examples", "postgres", "plugin.yaml"), filepath.Join(checkout.Root(), "examples", "shop"))
		checkAccepted(t, s.moved(onlyPlain(shop)), "examples/shop with "+routing)
	}
}

func TestAcceptedRoutesCanBeRefused(t *testing.T) {
	s := newSpace(t)
	install(t)
	text, err := os.ReadFile(filepath.Join(checkout.Root(), "pkg", "route", "testdata", "gateway-api.yaml"))
	require.NoError(t, err)
	for what, change := range map[string][2]string{
		"a value that is not listed": {"type: Exact", "type: Same"},
		"a field that is not there":  {"kind: Service", "kind: Service\n    colour: red"},
	} {
		broken := strings.Replace(s.moved(string(text)), change[0], change[1], 1)
		require.NotEqual(t, s.moved(string(text)), broken, what)
		_, err := kubectl(broken, "create", "--dry-run=server", "--validate=strict", "-f", "-")
		assert.Error(t, err, what)
	}
}

// install makes the API server know the kinds of routes.
func install(t *testing.T) {
	t.Helper()
	for module, file := range apis {
		definitions := filepath.Join(moduleFolder(t, module), file)
		must(t, "", "apply", "--server-side", "--force-conflicts", "-f", definitions)
		must(t, "", "wait", "--for=condition=Established", "--timeout", patience.String(), "-f", definitions)
	}
}

// moved is the text with this space in place of every namespace.
func (s *space) moved(text string) string {
	for _, namespace := range []string{"shop", "infra"} {
		text = strings.ReplaceAll(text, "namespace: "+namespace+"\n", "namespace: "+s.name+"\n")
	}
	return text
}

// onlyPlain leaves out the documents that are not for the cluster.
func onlyPlain(stream string) string {
	var plain []string
	for _, text := range strings.Split(stream, "\n---\n") {
		if !strings.Contains(text, "\nkind: Sandbox\n") && !strings.Contains(text, "\nkind: ResourcePlugin\n") {
			plain = append(plain, text)
		}
	}
	return strings.Join(plain, "\n---\n")
}

// moduleFolder is where the module lies that tools/crds pins, downloaded if need be.
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
