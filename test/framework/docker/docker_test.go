//go:build e2e

package docker_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/docker"
)

// A killed daemon has unmounted nothing, and a container that ignores SIGTERM delays the end of the daemon.
func TestContainerDaemonIsRemoved(t *testing.T) {
	for name, isKilled := range map[string]bool{"killed": true, "running": false} {
		t.Run(name, func(t *testing.T) {
			folder, err := os.MkdirTemp("", "") // short enough for the path of a socket
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, os.RemoveAll(folder)) })
			t.Setenv("TMPDIR", folder)
			stop, err := docker.Start()
			require.NoError(t, err)
			started := filepath.Join(folder, "krm-functions-docker", "data")
			require.DirExists(t, started, "another daemon is running: stop it, since its containers may be anybody's")
			t.Cleanup(func() { assert.NoError(t, stop()) })
			require.NoError(t, docker.Shell("docker", "shell:test", t.TempDir()))
			arguments := docker.Run("--detach", "--stop-timeout", "100", "shell:test", "sh", "-c",
				"trap '' TERM; while :; do sleep 1; done")
			out, err := exec.Command("docker", arguments...).CombinedOutput()
			require.NoError(t, err, "%s", out)
			container := strings.TrimSpace(string(out))

			if isKilled {
				require.NoError(t, exec.Command("pkill", "-KILL", "-f", "^dockerd --data-root "+started).Run())
			}
			require.NoError(t, stop())
			assert.NoDirExists(t, started)
			mounts, err := os.ReadFile("/proc/mounts")
			require.NoError(t, err)
			assert.NotContains(t, string(mounts), folder)
			assert.Error(t, exec.Command("pgrep", "-f", container).Run(), "processes of the container are left")
		})
	}
}
