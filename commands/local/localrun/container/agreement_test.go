//go:build e2e

package container

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/commands/local/localrun/process"
	"github.com/resource-plugins/krm-functions/test/framework/agreement"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// Generated plugins have the same results in containers as in processes. test/cluster/e2e compares both with a node.
func TestEnginesAgree(t *testing.T) {
	processes, err := process.New(process.Options{})
	require.NoError(t, err)
	if isolated, reason := processes.IsIsolated(); !isolated {
		checkout.LeaveOut(t, "bubblewrap does not isolate processes: %v", reason)
	}
	plugins := agreement.Plugins(agreement.Kinds(), shellImage, "plugins")
	want, err := agreement.RunAll(t.Context(), processes, plugins, t.TempDir)
	require.NoError(t, err)
	for _, program := range Programs() {
		t.Run(program, func(t *testing.T) {
			engine := newEngine(t, program, nil)
			got, err := agreement.RunAll(t.Context(), engine, plugins, t.TempDir)
			require.NoError(t, err)
			for i, plugin := range plugins {
				assert.Len(t, want[i], len(plugin.Steps), plugin.Name)
				assert.Equal(t, want[i], got[i], plugin.Name)
			}
		})
	}
}
