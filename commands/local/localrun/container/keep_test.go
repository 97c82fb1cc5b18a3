//go:build e2e

package container

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
)

// A failed container is kept with its files, and one that succeeds is removed.
func TestRunKeepsFailedContainers(t *testing.T) {
	for _, program := range Programs() {
		t.Run(program, func(t *testing.T) {
			engine := newEngine(t, program, nil)
			for kind, newContainer := range map[string]func(string, ...string) localrun.Container{
				"plain":           func(script string, _ ...string) localrun.Container { return plain(script) },
				"with the runner": step,
			} {
				container := newContainer("#!/bin/sh\necho trace > /left\nexit 3\n")
				container.Keep = filepath.Join(t.TempDir(), "kept")
				result, _ := run(t, engine, container)
				assert.Contains(t, result.Kept, "container "+container.Name+" and folder "+container.Keep, kind)
				require.NoError(t, reopen(t, engine))
				text, err := engine.output(t.Context(), "diff", container.Name)
				require.NoError(t, err, kind)
				assert.Contains(t, text, "A /left", kind)
				require.NoError(t, engine.Remove(t.Context(), []string{container.Name}, nil))

				container = newContainer("#!/bin/sh\n")
				container.Keep = filepath.Join(t.TempDir(), "kept")
				result, _ = run(t, engine, container)
				assert.Empty(t, result.Kept)
				assert.NoDirExists(t, container.Keep)
				_, err = engine.output(t.Context(), "inspect", container.Name)
				require.Error(t, err, kind)
			}
		})
	}
}

// reopen opens and closes another engine, which removes the leftovers of interrupted runs.
func reopen(t *testing.T, engine *Engine) error {
	t.Helper()
	other, err := New(t.Context(), engine.Name(), engine.options)
	if err != nil {
		return err
	}
	return other.Close()
}

// A container reads stdin if it has one.
func TestRunReadsStdin(t *testing.T) {
	for _, program := range Programs() {
		t.Run(program, func(t *testing.T) {
			engine := newEngine(t, program, nil)
			file := filepath.Join(t.TempDir(), "typed")
			require.NoError(t, os.WriteFile(file, []byte("echo sum $((40+2))\n"), 0o600))
			stdin, err := os.Open(file)
			require.NoError(t, err)
			defer func() { require.NoError(t, stdin.Close()) }()
			container := plain("#!/bin/sh\n")
			container.Command, container.Stdin = []string{"/bin/sh"}, stdin
			result, log := run(t, engine, container)
			assert.Equal(t, 0, result.ExitCode)
			assert.Equal(t, "sum 42\n", log)
		})
	}
}

// Processes that outlive the script are found by the runner. Without it, the engine cannot know.
func TestRunFindsRemainingProcesses(t *testing.T) {
	for _, program := range Programs() {
		t.Run(program, func(t *testing.T) {
			engine := newEngine(t, program, nil)
			result, _ := run(t, engine, step("#!/bin/sh\nsleep 100 > /dev/null 2>&1 &\n"))
			assert.True(t, result.Remaining)
			result, _ = run(t, engine, step("#!/bin/sh\n"))
			assert.False(t, result.Remaining)
			assert.False(t, result.Unwatched)
			result, _ = run(t, engine, plain("#!/bin/sh\n"))
			assert.True(t, result.Unwatched)
		})
	}
}

// Engines that share their images look each one up once.
func TestImagesAreShared(t *testing.T) {
	for _, program := range Programs() {
		t.Run(program, func(t *testing.T) {
			images := NewImages()
			for range 2 {
				engine := newEngine(t, program, func(o *Options) { o.Images = images })
				_, err := engine.image(t.Context(), shellImage, "")
				require.NoError(t, err)
			}
			assert.Len(t, images.found, 1)
		})
	}
}
