package handover_test

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
	"github.com/resource-plugins/krm-functions/runtime/internal/handover"
)

var plan = contract.Plan{Step: "provision", Generation: "g1", Outputs: []contract.Output{{Name: "dsn", Path: "/tmp/dsn"}}}

// prepared is a folder as the input manager leaves it.
func prepared(t *testing.T) (*handover.Folder, string) {
	t.Helper()
	at := t.TempDir()
	folder, err := handover.Open(at)
	require.NoError(t, err)
	source := filepath.Join(t.TempDir(), "runner")
	require.NoError(t, os.WriteFile(source, []byte("#!/bin/sh\n"), 0o600))
	require.NoError(t, folder.Prepare(plan, source))
	return folder, at
}

func TestPreparedFilesServeEveryUser(t *testing.T) {
	t.Parallel()
	folder, at := prepared(t)
	require.NoError(t, folder.WriteInput("a/b/value", []byte("x")))
	for name, mode := range map[string]os.FileMode{
		"lock": 0o666, "runner": 0o755, "plan": 0o644, "outputs": os.ModeDir | 0o777,
		"inputs": os.ModeDir | 0o755, "inputs/a/b": os.ModeDir | 0o755, "inputs/a/b/value": 0o644,
	} {
		info, err := os.Stat(filepath.Join(at, name))
		require.NoError(t, err)
		assert.Equal(t, mode, info.Mode(), name)
	}
	read, err := folder.Plan()
	require.NoError(t, err)
	assert.Equal(t, plan, read)
}

func TestPrepareAgainTouchesNothingOfTheRunner(t *testing.T) {
	t.Parallel()
	folder, at := prepared(t)
	require.NoError(t, folder.Mark(contract.StartedFile))
	require.NoError(t, folder.WriteExit(3))
	lock, err := folder.Take()
	require.NoError(t, err)
	defer lock.Release()
	require.NoError(t, folder.Prepare(plan, filepath.Join(at, "runner")))
	assert.True(t, folder.Marked(contract.StartedFile))
	code, err := folder.Exit()
	require.NoError(t, err)
	assert.Equal(t, 3, code)
	_, err = folder.Try()
	assert.ErrorIs(t, err, handover.ErrHeld)
}

func TestMarks(t *testing.T) {
	t.Parallel()
	folder, _ := prepared(t)
	assert.False(t, folder.Marked(contract.AbandonedFile))
	require.NoError(t, folder.Unmark(contract.AbandonedFile))
	require.NoError(t, folder.Mark(contract.AbandonedFile))
	assert.True(t, folder.Marked(contract.AbandonedFile))
	require.NoError(t, folder.Unmark(contract.AbandonedFile))
	assert.False(t, folder.Marked(contract.AbandonedFile))
}

func TestLockPassesOn(t *testing.T) {
	t.Parallel()
	folder, _ := prepared(t)
	lock, err := folder.Take()
	require.NoError(t, err)
	taken := make(chan *handover.Lock)
	go func() {
		next, err := folder.Take()
		assert.NoError(t, err)
		taken <- next
	}()
	select {
	case <-taken:
		t.Fatal("two hold the lock")
	case <-time.After(50 * time.Millisecond):
	}
	lock.Release()
	(<-taken).Release()
}

func TestNoLockWithoutInputManager(t *testing.T) {
	t.Parallel()
	folder, err := handover.Open(t.TempDir())
	require.NoError(t, err)
	_, err = folder.Take()
	require.ErrorContains(t, err, "the lock that the input manager made")
	_, err = folder.Plan()
	require.ErrorContains(t, err, "the input manager must have run before")
	_, err = handover.Open("/does/not/exist")
	require.ErrorContains(t, err, contract.IOVolume)
}

func TestNamesMustStayInside(t *testing.T) {
	t.Parallel()
	folder, at := prepared(t)
	for _, name := range []string{"", ".", "..", "../x", "/etc/x", "a/../../x"} {
		require.Error(t, folder.WriteInput(name, nil), name)
		require.Error(t, folder.WriteOutput(name, nil), name)
		_, err := folder.Outputs([]contract.Output{{Name: name}})
		require.Error(t, err, name)
	}
	require.Error(t, folder.WriteOutput("a/b", nil))
	assert.NoFileExists(t, filepath.Join(filepath.Dir(at), "x"))
}

func TestExit(t *testing.T) {
	t.Parallel()
	folder, at := prepared(t)
	_, err := folder.Exit()
	require.ErrorIs(t, err, handover.ErrNoExit)
	require.NoError(t, folder.WriteExit(137))
	code, err := folder.Exit()
	require.NoError(t, err)
	assert.Equal(t, 137, code)
	for _, content := range []string{"", "x", "1\n", "99999999999999999999999999"} {
		require.NoError(t, os.WriteFile(filepath.Join(at, "exit"), []byte(content), 0o600))
		_, err = folder.Exit()
		assert.Error(t, err, content)
	}
}

func TestOutputsAreVerbatim(t *testing.T) {
	t.Parallel()
	folder, _ := prepared(t)
	wanted := []contract.Output{{Name: "empty"}, {Name: "text"}, {Name: "bytes"}}
	values := map[string][]byte{"empty": {}, "text": []byte("a\n\n"), "bytes": {0, 0xff, '\r', '\n', 0}}
	for name, value := range values {
		require.NoError(t, folder.WriteOutput(name, value))
	}
	read, err := folder.Outputs(wanted)
	require.NoError(t, err)
	assert.Equal(t, values, read)
}

func TestOutputsFitInASecretTogether(t *testing.T) {
	t.Parallel()
	folder, _ := prepared(t)
	wanted := []contract.Output{{Name: "a"}, {Name: "b"}}
	half := bytes.Repeat([]byte("x"), contract.MaxOutputBytes/2)
	require.NoError(t, folder.WriteOutput("a", half))
	require.NoError(t, folder.WriteOutput("b", half))
	read, err := folder.Outputs(wanted)
	require.NoError(t, err)
	assert.Len(t, read["b"], len(half))
	require.NoError(t, folder.WriteOutput("b", append(half, 'x')))
	_, err = folder.Outputs(wanted)
	require.ErrorContains(t, err, "must not hold more than 1048576 bytes together")
}

// A script that plants things for the output manager gets nothing but an error: not the manager's token, no hang.
func TestPlantedFilesAreRefused(t *testing.T) {
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
		"link of the folder": func(t *testing.T, at string) {
			t.Helper()
			require.NoError(t, os.Remove(filepath.Join(at, "outputs")))
			require.NoError(t, os.Symlink(filepath.Dir(token), filepath.Join(at, "outputs")))
		},
		"pipe": func(t *testing.T, at string) {
			t.Helper()
			require.NoError(t, syscall.Mkfifo(filepath.Join(at, "outputs/dsn"), 0o666))
		},
		"folder": func(t *testing.T, at string) {
			t.Helper()
			require.NoError(t, os.Mkdir(filepath.Join(at, "outputs/dsn"), 0o700))
		},
		"nothing": func(*testing.T, string) {},
	}
	for name, plant := range plants {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder, at := prepared(t)
			plant(t, at)
			_, err := folder.Outputs(plan.Outputs)
			require.ErrorContains(t, err, `output "dsn"`)
		})
	}
}

func TestPlantedPipesAndLinksDoNotHoldUp(t *testing.T) {
	t.Parallel()
	folder, at := prepared(t)
	for _, name := range []string{"exit", "plan"} {
		_ = os.Remove(filepath.Join(at, name))
		require.NoError(t, syscall.Mkfifo(filepath.Join(at, name), 0o666))
	}
	_, err := folder.Exit()
	require.ErrorContains(t, err, "regular file, not a pipe")
	_, err = folder.Plan()
	require.ErrorContains(t, err, "regular file, not a pipe")
	require.NoError(t, os.Remove(filepath.Join(at, "lock")))
	require.NoError(t, os.Symlink("/etc/hostname", filepath.Join(at, "lock")))
	_, err = folder.Take()
	require.Error(t, err)
}
