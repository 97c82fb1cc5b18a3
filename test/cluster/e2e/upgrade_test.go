//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// upgradeFile reads a file of testdata/upgrade for a namespace. The files were rendered by commit 6eadd05 from the plugin
// and the sandbox; only the path of the program in the helper image was updated.
func (s *testNamespace) upgradeFile(name string) string {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "upgrade", name))
	require.NoError(s.t, err)
	return strings.ReplaceAll(string(text), "upgrade-namespace", s.name)
}

// After a render of commit 6eadd05 and one of the current programs, steps with published outputs do not run again; plain
// steps, which have no outputs, do.
func TestReapplyAfterUpgrade(t *testing.T) {
	s := newNamespace(t)
	s.apply(s.upgradeFile("rendered-by-6eadd05.yaml"))
	s.succeeded(3)
	before := s.data()
	require.Len(t, before, 2)
	for key, values := range before {
		require.Len(t, values, 1, key)
	}

	s.apply(function(t, "render-phase", s.upgradeFile("plugin.yaml")+"---\n"+s.upgradeFile("sandbox.yaml"),
		"--start-timeout-seconds", "900", "-"))
	s.succeeded(3)
	before["upgraded/announce"] = nil // the Secret that records the plain step is new, and has no values
	assert.Equal(t, before, s.data())
	runs := func(step, line string) int {
		return strings.Count(must(t, "", "logs", "--namespace", s.name, "--container=main", "--tail=-1",
			"--selector="+contract.StepKey+"="+step), line+"\n")
	}
	assert.Equal(t, 1, runs("provision", "provisions a $(price) in $$"))
	assert.Equal(t, 1, runs("migrate", "migrates"))
	t.Logf("the plain step has run %d times", runs("announce", "announced"))
}
