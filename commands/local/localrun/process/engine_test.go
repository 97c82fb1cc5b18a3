//go:build unix

package process_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
	"github.com/resource-plugins/krm-functions/commands/local/localrun/process"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

func TestMain(m *testing.M) {
	if code, isStep := process.Main(os.Args[1:]); isStep {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// script returns a container without data flow.
func script(text string, log *strings.Builder) localrun.Container {
	return localrun.Container{
		Command: []string{contract.ScriptFile},
		Files:   []localrun.File{{Path: contract.ScriptFile, Content: []byte(text), Mode: 0o555}},
		Env:     []localrun.Variable{{Name: "GIVEN", Value: "a\nb"}},
		Log:     log,
	}
}

func TestWithoutNamespaces(t *testing.T) {
	t.Setenv("RPLUG_TEST_SECRET", "s3cret")
	engine, err := process.New(process.Options{WithoutNamespaces: true})
	require.NoError(t, err)
	isolated, reason := engine.IsIsolated()
	assert.False(t, isolated)
	require.Error(t, reason)

	var log strings.Builder
	result, err := engine.Run(t.Context(), script("#!/bin/sh\necho \"$GIVEN\"; ls -A \"$HOME\"; env | grep -c RPLUG_; exit 3\n", &log))
	require.NoError(t, err)
	assert.Equal(t, 3, result.ExitCode)
	assert.Equal(t, "a\nb\nscript\n0\n", log.String())

	// A script and its children are stopped when the context ends.
	ctx, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer stop()
	start := time.Now()
	result, err = engine.Run(ctx, script("#!/bin/sh\nsleep 100 & sleep 100\n", &log))
	require.NoError(t, err)
	assert.Equal(t, 143, result.ExitCode)
	assert.Less(t, time.Since(start), 20*time.Second)

	// Processes that outlive the script are found, in its session or in another one, and end with it.
	for _, text := range []string{"sleep 100 > /dev/null 2>&1 &", "setsid sleep 100 > /dev/null 2>&1 &"} {
		result, err = engine.Run(t.Context(), script("#!/bin/sh\n"+text+"\n", &log))
		require.NoError(t, err)
		assert.Equal(t, 0, result.ExitCode)
		assert.True(t, result.Remaining, text)
	}
	for _, text := range []string{"sleep 0.2 &", "sleep 0.2 > /dev/null 2>&1 &", "true"} {
		result, err = engine.Run(t.Context(), script("#!/bin/sh\n"+text+"\n", &log))
		require.NoError(t, err)
		assert.False(t, result.Remaining, text)
	}

	// The folder of a script that fails is kept.
	kept := filepath.Join(t.TempDir(), "kept")
	container := script("#!/bin/sh\necho half > left\nexit 5\n", &log)
	container.Keep = kept
	result, err = engine.Run(t.Context(), container)
	require.NoError(t, err)
	assert.Equal(t, "folder "+kept, result.Kept)
	assert.FileExists(t, filepath.Join(kept, "left"))
}
