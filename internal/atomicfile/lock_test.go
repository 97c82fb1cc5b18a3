package atomicfile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLockFolder(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	lock, err := LockFolder(t.Context(), folder)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = LockFolder(ctx, folder)
	require.EqualError(t, err, "another command is changing files in "+folder+": try again when it has ended")
	lock.Unlock()
	lock, err = LockFolder(t.Context(), folder)
	require.NoError(t, err)
	lock.Unlock()
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Empty(t, left)
	_, err = LockFolder(t.Context(), filepath.Join(folder, "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestUpdateFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file, killed, own := filepath.Join(folder, "a.yaml"), filepath.Join(folder, ".a.yaml.part-123"), filepath.Join(folder, ".b.yaml.part-1")
	for _, name := range []string{killed, own} {
		require.NoError(t, os.WriteFile(name, nil, 0o600))
	}
	to := func(text string) func() ([]byte, error) { return func() ([]byte, error) { return []byte(text), nil } }
	require.NoError(t, UpdateFile(t.Context(), file, to("one")))
	require.NoError(t, UpdateFile(t.Context(), file, func() ([]byte, error) { return nil, nil }))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "one", string(text))
	assert.NoFileExists(t, killed, "what a killed command left is removed")
	assert.FileExists(t, own, "another file's is not")

	err = UpdateFile(t.Context(), file, func() ([]byte, error) { return []byte("two"), os.WriteFile(file, []byte("editor"), 0o600) })
	require.EqualError(t, err, file+" was changed meanwhile: call again")
	text, err = os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "editor", string(text))

	full := &os.PathError{Op: "write", Path: ".a.yaml.part-4", Err: syscall.ENOSPC}
	require.EqualError(t, NotChanged("a.yaml", full), "a.yaml is not changed: no space left on device")
	require.EqualError(t, NotChanged("a.yaml", errors.New("x")), "a.yaml is not changed: x")
}
