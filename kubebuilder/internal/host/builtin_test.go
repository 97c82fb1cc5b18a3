package host_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/kubebuilder/internal/external"
	"github.com/resource-plugins/krm-functions/kubebuilder/internal/host"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// A kubebuilder that hangs is ended with the processes that it has started, at the limit of time or when the run is cancelled.
func TestKubebuilderThatHangs(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]time.Duration{"cancelled": 0, "limit": 200 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, map[string]string{"PROJECT": projectText})
			started := f.root + "-started"
			program := f.root + "-kubebuilder"
			require.NoError(t, checkout.WriteProgram(program, "#!/bin/sh\ncase \"$*\" in *--help) exit ;; esac\n"+
				"echo x > new.txt\nsleep 3600 &\necho $! > '"+started+"'\nwait\n"))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if limit == 0 {
				go func() {
					for _, err := os.Stat(started); err != nil; _, err = os.Stat(started) {
						time.Sleep(10 * time.Millisecond)
					}
					cancel()
				}()
			}
			_, err := host.Host{Root: f.root, Kubebuilder: program, Limits: external.Limits{Time: limit}}.Run(ctx, host.Call{
				Project: f.project, Command: v1alpha1.CommandEdit, Plugins: []string{"go/v4"},
			})
			if limit == 0 {
				require.ErrorIs(t, err, context.Canceled)
			} else {
				require.ErrorIs(t, err, external.ErrTime)
				assert.True(t, strings.HasPrefix(err.Error(), "kubebuilder edit --plugins go/v4: no response within "), err.Error())
			}
			assert.Equal(t, map[string]string{"PROJECT": projectText}, f.files())
		})
	}
}

// A plugin that neither is installed nor is known to kubebuilder is an error of the call: the plugins in front of it do not run.
func TestPluginsThatKubebuilderDoesNotKnow(t *testing.T) {
	t.Parallel()
	f := newFixture(t, map[string]string{"PROJECT": projectText})
	f.answers("one", v1alpha1.Response{Universe: universe("made", "x")})
	program := f.root + "-kubebuilder"
	require.NoError(t, checkout.WriteProgram(program, "#!/bin/sh\nprintf 'CLI tool\\n\\nUsage:\\n  kubebuilder [flags]\\n\\nFlags:\\n'\n"))
	_, err := host.Host{Root: f.root, Kubebuilder: program}.Run(t.Context(), host.Call{
		Project: f.project, Command: v1alpha1.CommandEdit, Plugins: []string{"one/v1", "none/v1"},
	})
	require.EqualError(t, err, `kubebuilder edit --plugins none/v1 failed: no plugin could be resolved with key "none/v1"`)
	require.ErrorAs(t, err, new(host.CallError))
	assert.NoFileExists(t, f.requestFile("one"))
}
