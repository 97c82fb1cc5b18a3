//go:build unix

package runner_test

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/runner"
)

var plan = contract.Plan{Step: "provision", Generation: "g1", Outputs: []contract.Output{{Name: "dsn", Path: "/tmp/dsn"}}}

// prepared returns a volume after the input manager has run.
func prepared(t *testing.T) (*runner.Volume, string) {
	t.Helper()
	at := t.TempDir()
	volume, err := runner.OpenVolume(at)
	require.NoError(t, err)
	source := filepath.Join(t.TempDir(), "runner")
	require.NoError(t, os.WriteFile(source, []byte("#!/bin/sh\n"), 0o600))
	require.NoError(t, volume.Prepare(plan))
	require.NoError(t, volume.CopyRunner(source))
	return volume, at
}

func TestPreparedFilesAreReadableByEveryUser(t *testing.T) {
	t.Parallel()
	volume, at := prepared(t)
	require.NoError(t, volume.WriteInput("a/b/value", []byte("x")))
	for name, mode := range map[string]os.FileMode{
		"lock": 0o666, "runner": 0o755, "plan": 0o644, "outputs": os.ModeDir | 0o777,
		"inputs": os.ModeDir | 0o755, "inputs/a/b": os.ModeDir | 0o755, "inputs/a/b/value": 0o644,
	} {
		info, err := os.Stat(filepath.Join(at, name))
		require.NoError(t, err)
		assert.Equal(t, mode, info.Mode(), name)
	}
	read, err := volume.Plan()
	require.NoError(t, err)
	assert.Equal(t, plan, read)
}

func TestPrepareAgainKeepsFilesOfTheRunner(t *testing.T) {
	t.Parallel()
	volume, at := prepared(t)
	require.NoError(t, volume.SetMarker(contract.StartedFile))
	require.NoError(t, volume.WriteExit(3))
	lock, err := volume.Lock()
	require.NoError(t, err)
	defer lock.Unlock()
	require.NoError(t, volume.Prepare(plan))
	require.NoError(t, volume.CopyRunner(filepath.Join(at, "runner")))
	assert.True(t, volume.HasMarker(contract.StartedFile))
	code, err := volume.Exit()
	require.NoError(t, err)
	assert.Equal(t, 3, code)
	_, err = volume.TryLock()
	assert.ErrorIs(t, err, runner.ErrLocked)
}

func TestMarkers(t *testing.T) {
	t.Parallel()
	volume, _ := prepared(t)
	assert.False(t, volume.HasMarker(contract.AbandonedFile))
	require.NoError(t, volume.RemoveMarker(contract.AbandonedFile))
	require.NoError(t, volume.SetMarker(contract.AbandonedFile))
	assert.True(t, volume.HasMarker(contract.AbandonedFile))
	require.NoError(t, volume.RemoveMarker(contract.AbandonedFile))
	assert.False(t, volume.HasMarker(contract.AbandonedFile))
}

func TestLock(t *testing.T) {
	t.Parallel()
	volume, _ := prepared(t)
	lock, err := volume.Lock()
	require.NoError(t, err)
	taken := make(chan *runner.Lock)
	go func() {
		next, err := volume.Lock()
		assert.NoError(t, err)
		taken <- next
	}()
	select {
	case <-taken:
		t.Fatal("two hold the lock")
	case <-time.After(50 * time.Millisecond):
	}
	lock.Unlock()
	(<-taken).Unlock()
}

func TestWithoutInputManager(t *testing.T) {
	t.Parallel()
	volume, err := runner.OpenVolume(t.TempDir())
	require.NoError(t, err)
	_, err = volume.Lock()
	require.ErrorContains(t, err, "cannot open the lock file")
	_, err = volume.Plan()
	require.ErrorContains(t, err, "the input manager must run first")
	_, err = runner.OpenVolume("/does/not/exist")
	require.ErrorContains(t, err, contract.IOVolume)
}

func TestNamesMustBeLocal(t *testing.T) {
	t.Parallel()
	volume, at := prepared(t)
	for _, name := range []string{"", ".", "..", "../x", "/etc/x", "a/../../x"} {
		require.Error(t, volume.WriteInput(name, nil), name)
		require.Error(t, volume.WriteOutput(name, nil), name)
		_, err := volume.Outputs([]contract.Output{{Name: name}})
		require.Error(t, err, name)
	}
	require.Error(t, volume.WriteOutput("a/b", nil))
	assert.NoFileExists(t, filepath.Join(filepath.Dir(at), "x"))
}

func TestExit(t *testing.T) {
	t.Parallel()
	volume, at := prepared(t)
	_, err := volume.Exit()
	require.ErrorIs(t, err, runner.ErrNoExit)
	require.NoError(t, volume.WriteExit(137))
	code, err := volume.Exit()
	require.NoError(t, err)
	assert.Equal(t, 137, code)
	for _, content := range []string{"", "x", "1\n", "99999999999999999999999999"} {
		require.NoError(t, os.WriteFile(filepath.Join(at, "exit"), []byte(content), 0o600))
		_, err = volume.Exit()
		assert.Error(t, err, content)
	}
}

func TestOutputsAreVerbatim(t *testing.T) {
	t.Parallel()
	volume, _ := prepared(t)
	wanted := []contract.Output{{Name: "empty"}, {Name: "text"}, {Name: "bytes"}}
	values := map[string][]byte{"empty": {}, "text": []byte("a\n\n"), "bytes": {0, 0xff, '\r', '\n', 0}}
	for name, value := range values {
		require.NoError(t, volume.WriteOutput(name, value))
	}
	read, err := volume.Outputs(wanted)
	require.NoError(t, err)
	assert.Equal(t, values, read)
}

func TestOutputsFitIntoASecret(t *testing.T) {
	t.Parallel()
	volume, _ := prepared(t)
	wanted := []contract.Output{{Name: "a"}, {Name: "b"}}
	half := bytes.Repeat([]byte("x"), contract.MaxOutputBytes/2)
	require.NoError(t, volume.WriteOutput("a", half))
	require.NoError(t, volume.WriteOutput("b", half))
	read, err := volume.Outputs(wanted)
	require.NoError(t, err)
	assert.Len(t, read["b"], len(half))
	require.NoError(t, volume.WriteOutput("b", append(half, 'x')))
	_, err = volume.Outputs(wanted)
	require.ErrorContains(t, err, "must not have more than 1048576 bytes in total")
}

// Files that a script creates for the output manager can only cause an error: they cannot read the token or block.
func TestForgedFilesAreRejected(t *testing.T) {
	t.Parallel()
	token := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(token, []byte("secret token"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(token), "dsn"), []byte("secret token"), 0o600))
	plants := map[string]func(t *testing.T, at string){
		"link out": func(t *testing.T, at string) {
			t.Helper()
			require.NoError(t, os.Symlink(token, filepath.Join(at, "outputs/dsn")))
		},
		"relative link out": func(t *testing.T, at string) {
			t.Helper()
			relative, err := filepath.Rel(filepath.Join(at, "outputs"), token)
			require.NoError(t, err)
			require.NoError(t, os.Symlink(relative, filepath.Join(at, "outputs/dsn")))
		},
		"link of the volume": func(t *testing.T, at string) {
			t.Helper()
			require.NoError(t, os.Remove(filepath.Join(at, "outputs")))
			require.NoError(t, os.Symlink(filepath.Dir(token), filepath.Join(at, "outputs")))
		},
		"pipe": func(t *testing.T, at string) {
			t.Helper()
			require.NoError(t, syscall.Mkfifo(filepath.Join(at, "outputs/dsn"), 0o666))
		},
		"volume": func(t *testing.T, at string) {
			t.Helper()
			require.NoError(t, os.Mkdir(filepath.Join(at, "outputs/dsn"), 0o700))
		},
		"nothing": func(*testing.T, string) {},
	}
	for name, plant := range plants {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			volume, at := prepared(t)
			plant(t, at)
			_, err := volume.Outputs(plan.Outputs)
			require.ErrorContains(t, err, `output "dsn"`)
		})
	}
}

func TestForgedPipesAndLinksDoNotBlock(t *testing.T) {
	t.Parallel()
	volume, at := prepared(t)
	for _, name := range []string{"exit", "plan"} {
		_ = os.Remove(filepath.Join(at, name))
		require.NoError(t, syscall.Mkfifo(filepath.Join(at, name), 0o666))
	}
	_, err := volume.Exit()
	require.ErrorContains(t, err, "regular file, not a pipe")
	_, err = volume.Plan()
	require.ErrorContains(t, err, "regular file, not a pipe")
	require.NoError(t, os.Remove(filepath.Join(at, "lock")))
	require.NoError(t, os.Symlink("/etc/hostname", filepath.Join(at, "lock")))
	_, err = volume.Lock()
	require.Error(t, err)
}
