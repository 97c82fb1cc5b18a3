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

// upgradeFile reads a file of testdata/upgrade for a namespace. Files named rendered-by-COMMIT were rendered by that commit from
// the plugin and the sandbox; of 6eadd05, the path of the program in the helper image was updated.
func (s *testNamespace) upgradeFile(name string) string {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "upgrade", name))
	require.NoError(s.t, err)
	return strings.ReplaceAll(string(text), "upgrade-namespace", s.name)
}

// After a render of an earlier commit and one of the current programs, steps with published outputs do not run again; plain
// steps, which have no outputs, run once more. The delete phase of the current programs then leaves nothing.
func TestReapplyAfterUpgrade(t *testing.T) {
	t.Parallel()
	for _, commit := range []string{"6eadd05", "2000e3a"} {
		t.Run(commit, func(t *testing.T) { reapplyAfterUpgrade(t, commit) })
	}
}

func reapplyAfterUpgrade(t *testing.T, commit string) {
	t.Helper()
	s := newNamespace(t)
	s.apply(s.upgradeFile("rendered-by-" + commit + ".yaml"))
	s.succeeded(3)
	before := s.data()
	require.Len(t, before, 2)
	for key, values := range before {
		require.Len(t, values, 1, key)
	}

	documents := s.upgradeFile("plugin.yaml") + "---\n" + s.upgradeFile("sandbox.yaml")
	s.apply(function(t, "render-phase", documents, "--start-timeout-seconds", "900", "-"))
	s.succeeded(3)
	before["upgraded/announce"] = nil // the Secret that records the plain step is new, and has no values
	assert.Equal(t, before, s.data())
	runs := func(step, line string) int {
		return strings.Count(must(t, "", "logs", "--namespace", s.name, "--container=main", "--tail=-1",
			"--selector="+contract.StepKey+"="+step), line+"\n")
	}
	assert.Equal(t, 1, runs("provision", "provisions a $(price) in $$"))
	assert.Equal(t, 1, runs("migrate", "migrates"))
	assert.LessOrEqual(t, runs("announce", "announced"), 2)
	t.Logf("the plain step has run %d times", runs("announce", "announced"))

	s.apply(function(t, "render-phase", documents, "--start-timeout-seconds", "900", "--phases", "delete", "-"))
	for key, end := range s.ended("--selector", contract.PhaseKey+"=delete") {
		assert.Equal(t, "Complete", end, key)
	}
	assert.Equal(t, 1, runs("drop", "drops"))
	assert.Empty(t, s.outputs())
}
