package command_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// call runs rplug, which must succeed, and returns its standard output.
func call(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	var out, notes bytes.Buffer
	require.Zero(t, rplug.Run(t.Context(), args, strings.NewReader(stdin), &out, &notes, extension), "%q: %s", args, &notes)
	return out.String()
}

// For requests, rplug build prints the same bytes as the functions do if they are called one after the other.
func TestBuildPrintsWhatTheFunctionsPrint(t *testing.T) {
	t.Parallel()
	examples := filepath.Join(checkout.Root(), "examples", "stacks")
	imported := func(folder string, packages ...string) (paths []string) {
		for _, name := range packages {
			documents := call(t, "", "import", "--image", "registry.example.org/acme/"+name+":v0.1.0", filepath.Join(folder, name))
			require.NotEmpty(t, documents)
			paths = append(paths, filepath.Join(t.TempDir(), name+".yaml"))
			require.NoError(t, os.WriteFile(paths[len(paths)-1], []byte(documents), 0o600))
		}
		return append(paths, filepath.Join(folder, "requests.yaml"))
	}
	base := filepath.Join(examples, "base")
	requests := append(imported(base, "storage", "cache"), filepath.Join(base, "catalog.yaml"), filepath.Join(base, "lock.yaml"))
	for name, test := range map[string]struct{ render, paths []string }{
		"stacks":   {nil, requests},
		"unpacked": {[]string{"--install", "objects"}, requests},
		"packages": {nil, imported(filepath.Join(examples, "xpkg"), "provider-storage", "function-cache", "configuration-cache")},
	} {
		call(t, "", append([]string{"validate"}, test.paths...)...)
		resolved := call(t, "", append([]string{"resolve", "--keep-inputs"}, test.paths...)...)
		rendered := call(t, resolved, append(append([]string{"render"}, test.render...), "-")...)
		assert.Positive(t, strings.Count(rendered, "\nkind: "), name)
		build := append(append([]string{"build"}, test.render...), test.paths...)
		assert.Equal(t, rendered, call(t, "", build...), name)

		all := call(t, resolved, append(append([]string{"render", "--keep-inputs"}, test.render...), "-")...)
		withBaseline := call(t, all, "fork", "--baseline", "-")
		assert.Equal(t, withBaseline, call(t, "", append(build, "--baseline")...), name)
	}
}
