package external_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/kubebuilder/internal/external"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
)

// A process that a plugin starts in another session ends with the plugin, even if its parent has ended before.
//
//nolint:paralleltest // processes are left alone as long as another plugin runs
func TestCall_endsOtherSessions(t *testing.T) {
	for name, start := range map[string]string{
		"child":      "setsid sh -c 'echo $$ >>%; exec sleep 300' >/dev/null 2>&1 </dev/null &",
		"grandchild": "(setsid sh -c 'setsid sh -c \"echo \\$\\$ >>%; exec sleep 300\" & exit' >/dev/null 2>&1 </dev/null &)",
	} {
		t.Run(name, func(t *testing.T) {
			pids := filepath.Join(t.TempDir(), "pids")
			script := "#!/bin/sh\n" + strings.ReplaceAll(start, "%", pids) + "\nwhile [ ! -s " + pids + " ]; do sleep 0.01; done\necho '{}'\n"
			root := install(t, map[string]string{"sample/v1/sample+": script})
			plugins, broken, err := external.Discover(root)
			require.NoError(t, err)
			require.Empty(t, broken)
			_, err = plugins[0].Call(t.Context(), t.TempDir(), v1alpha1.Request{}, nil, external.Limits{})
			require.NoError(t, err)
			text, err := os.ReadFile(pids)
			require.NoError(t, err)
			pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
			require.NoError(t, err)
			gone := assert.Eventually(t, func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }, 2*time.Second, 10*time.Millisecond)
			if !gone {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		})
	}
}
