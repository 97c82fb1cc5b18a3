package program

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shell returns a function that is a script.
func shell(t *testing.T, script string) Program {
	t.Helper()
	function, err := New(Program{Args: []string{"sh", "-c", script}, Timeout: time.Minute})
	require.NoError(t, err)
	return function
}

func TestRun_observes(t *testing.T) {
	t.Parallel()
	got, err := shell(t, "cat; echo problem >&2; exit 3").Run([]byte("input"), nil)
	require.NoError(t, err)
	assert.Equal(t, "input", string(got.Stdout))
	assert.Equal(t, "problem\n", string(got.Stderr))
	assert.Equal(t, 3, got.Exit)
	assert.Empty(t, got.Signal)
	assert.False(t, got.TimedOut)
	assert.Positive(t, got.Memory)

	got, err = shell(t, "kill -SEGV $$").Run(nil, nil)
	require.NoError(t, err)
	assert.Equal(t, -1, got.Exit)
	assert.Equal(t, "segmentation fault", got.Signal)

	slow := shell(t, "exec sleep 60")
	slow.Timeout = 50 * time.Millisecond
	got, err = slow.Run(nil, nil)
	require.NoError(t, err)
	assert.True(t, got.TimedOut)
}

func TestRun_underConditions(t *testing.T) {
	t.Setenv("CONFORMANCE_TEST", "set")
	got, err := shell(t, "echo $CONFORMANCE_TEST").Run(nil, nil)
	require.NoError(t, err)
	assert.Equal(t, "set\n", string(got.Stdout))
	got, err = shell(t, "echo $CONFORMANCE_TEST").Run(nil, []string{"no-environment"})
	require.NoError(t, err)
	assert.Equal(t, "\n", string(got.Stdout))

	got, err = shell(t, "pwd; touch left").Run(nil, []string{"empty-folder"})
	require.NoError(t, err)
	assert.Equal(t, []string{"left"}, got.Left)
	assert.NoDirExists(t, string(got.Stdout[:len(got.Stdout)-1]))

	_, err = shell(t, "true").Run(nil, []string{"weightless"})
	assert.EqualError(t, err, `unknown condition "weightless"`)
}

func TestNew_makesPathsAbsolute(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	require.NoError(t, os.WriteFile("function", []byte("#!/bin/sh\n"), 0o700)) //nolint:gosec // a program
	require.NoError(t, os.WriteFile("config", nil, 0o600))
	function, err := New(Program{Args: []string{"./function", "config", "--flag"}})
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(folder, "function"), filepath.Join(folder, "config"), "--flag"}, function.Args)

	_, err = New(Program{Args: []string{"./nothing"}})
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = New(Program{Image: "image", Runtime: "no-such-runtime"})
	assert.ErrorContains(t, err, "--image needs no-such-runtime on the PATH")
}

// An image is started with the flags of kustomize and kpt.
func TestPlan_ofImages(t *testing.T) {
	t.Parallel()
	function := Program{Image: "image:v1", Runtime: "podman", Args: []string{"--flag"}}
	made, err := function.plan([]string{"no-network", "nobody", "read-only"})
	require.NoError(t, err)
	assert.Equal(t, []string{"podman", "run", "--rm", "-i", "--network", "none", "--user", "nobody",
		"--security-opt=no-new-privileges", "--read-only", "image:v1", "--flag"}, made.args)

	_, err = function.plan([]string{"empty-folder"})
	assert.ErrorAs(t, err, &Unavailable{})
}

// A function that prints without end must not exhaust the memory.
func TestLimited_dropsTheRest(t *testing.T) {
	t.Parallel()
	stream := &limited{}
	block := make([]byte, 64<<20)
	for range 5 {
		n, err := stream.Write(block)
		require.NoError(t, err)
		assert.Len(t, block, n)
	}
	assert.Equal(t, maxOutput, stream.Len())
}

// A container has the mounts, and no other access to this machine.
func TestRun_mountsFolders(t *testing.T) {
	t.Parallel()
	image, err := New(Program{Image: "function:v1", Runtime: "echo", Mounts: []string{"type=bind,src=/a,dst=/b"}, Timeout: time.Minute})
	require.NoError(t, err)
	got, err := image.Run(nil, nil)
	require.NoError(t, err)
	assert.Equal(t, "run --rm -i --network none --user nobody --security-opt=no-new-privileges --mount type=bind,src=/a,dst=/b function:v1\n",
		string(got.Stdout))
}
