package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/render"
)

// A golden file holds the rendered objects, and the results as comments.
func TestRender_golden(t *testing.T) {
	t.Parallel()
	packages, request := file(t, "packages.yaml"), file(t, "request.yaml")
	for name, change := range map[string]func(*render.Options){
		"job":            nil,
		"objects":        unpacked,
		"objects-argocd": func(o *render.Options) { o.Install, o.Delivery = render.InstallObjects, "argocd" },
		"objects-restricted": func(o *render.Options) {
			o.Install, o.PodSecurity = render.InstallObjects, "restricted"
		},
		"remove": func(o *render.Options) { o.Phases = []string{"delete"} },
		"hooks":  func(o *render.Options) { o.Phases, o.Delivery = []string{"create", "delete"}, "helm" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list := listOf(t, packages, request)
			summary := rendered(t, list, change)
			golden(t, name+".yaml", printed(t, list, summary.Objects)+"# results\n"+comment(messages(list)))
		})
	}
}

func TestRender_goldenOfPackages(t *testing.T) {
	t.Parallel()
	list := listOf(t, file(t, "xpkg.yaml"), file(t, "xpkg-request.yaml"))
	summary := rendered(t, list, func(o *render.Options) {
		o.Mirror = map[string]string{"xpkg.example.org/": "mirror.internal/xpkg/", "unused.example.org": "mirror.internal/u"}
	})
	golden(t, "packages.yaml", printed(t, list, summary.Objects)+"# results\n"+comment(messages(list))+
		"# images\n"+comment(strings.Join(summary.Images, "\n")+"\n")+"--- # lock\n"+string(summary.Lock))
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	name = filepath.Join("testdata", "golden", name)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(got), 0o600))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

func comment(text string) (commented string) {
	for line := range strings.Lines(text) {
		commented += "# " + line
	}
	return commented
}
