//go:build linux

package process_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
	"github.com/resource-plugins/krm-functions/commands/local/localrun/process"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// plain returns an engine without bubblewrap, and a container with an input, a folder and an output below a folder that does
// not exist.
func plain(t *testing.T, text string, log *strings.Builder) (*process.Engine, localrun.Container, string) {
	t.Helper()
	engine, err := process.New(process.Options{WithoutNamespaces: true})
	require.NoError(t, err)
	folder, err := os.MkdirTemp("/tmp", "rplug-test") // where steps may have files without a folder at the root
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	at := filepath.Join(folder, "step")
	container := script("#!/bin/sh\n"+strings.ReplaceAll(text, "AT", at)+"\n", log)
	container.Command = append([]string{contract.RunnerFile}, container.Command...)
	container.Files = append(container.Files, localrun.File{Path: filepath.Join(at, "in", "x"), Content: []byte("given"), Mode: 0o444})
	container.Folders = []string{filepath.Join(at, "scratch")}
	container.Plan = &contract.Plan{
		Step: "one", Generation: "g", Outputs: []contract.Output{{Name: "url", Path: filepath.Join(at, "out", "url")}},
	}
	return engine, container, at
}

// Without bubblewrap, a step has its files at their absolute paths, and nothing is left there.
func TestPlain_absolutePaths(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	engine, container, at := plain(t, "cat AT/in/x; touch AT/scratch/y; cat AT/in/x AT/in/x > AT/out/url", &log)
	result, err := engine.Run(t.Context(), container)
	require.NoError(t, err)
	assert.Equal(t, 0, result.ExitCode, log.String())
	assert.Equal(t, map[string][]byte{"url": []byte("givengiven")}, result.Outputs)
	assert.Equal(t, "given", log.String())
	assert.NoDirExists(t, at)

	// A step that fails, or lacks its output, says so as it does in a cluster.
	engine, container, _ = plain(t, "exit 4", &log)
	result, err = engine.Run(t.Context(), container)
	require.NoError(t, err)
	assert.Equal(t, 4, result.ExitCode)
	assert.Contains(t, result.Message, `step "one": the script exited with 4`)
	engine, container, at = plain(t, "true", &log)
	result, err = engine.Run(t.Context(), container)
	require.NoError(t, err)
	assert.Equal(t, 1, result.ExitCode)
	assert.Contains(t, result.Message, `output "url"`)
	assert.NoDirExists(t, at)
}

// Two steps that run at once may have their files at the same paths: they take turns.
func TestPlain_stepsTakeTurns(t *testing.T) {
	t.Parallel()
	var logs [2]strings.Builder
	engine, first, _ := plain(t, "sleep 0.2; cat AT/in/x > AT/out/url", &logs[0])
	second := first
	second.Log = &logs[1]
	var results [2]localrun.Result
	var errs [2]error
	var group sync.WaitGroup
	for i, container := range []localrun.Container{first, second} {
		group.Go(func() { results[i], errs[i] = engine.Run(t.Context(), container) })
	}
	group.Wait()
	for i := range results {
		require.NoError(t, errs[i])
		assert.Equal(t, map[string][]byte{"url": []byte("given")}, results[i].Outputs, logs[i].String())
	}
}

// A file of the user is neither read nor removed.
func TestPlain_refusesFilesOfOthers(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	engine, container, at := plain(t, "true", &log)
	require.NoError(t, os.MkdirAll(filepath.Join(at, "out"), 0o755))
	file := filepath.Join(at, "out", "url")
	require.NoError(t, os.WriteFile(file, []byte("mine"), 0o600))
	_, err := engine.Run(t.Context(), container)
	require.ErrorContains(t, err, `must not exist before a step: remove it`)
	assert.FileExists(t, file)
}

// The folders of other paths must be made by the user: the message has the command.
func TestPlain_needsFoldersOfTheUser(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	engine, container, _ := plain(t, "true", &log)
	container.Files[1].Path = "/rplug-test-inputs/x"
	container.Plan.Outputs[0].Path = "/rplug-test-outputs/url"
	_, err := engine.Run(t.Context(), container)
	require.ErrorContains(t, err, "folders that you may write to must be at /rplug-test-inputs, /rplug-test-outputs, since bubblewrap "+
		"does not work here: make them with `")
	require.ErrorContains(t, err, "/rplug-test-inputs /rplug-test-outputs`, or use --engine docker or --engine podman")
	container.Plan.Outputs[0].Path = "/etc/url"
	container.Files, container.Folders = container.Files[:1], nil
	_, err = engine.Run(t.Context(), container)
	require.Error(t, err, "/etc is not empty, or not writable")
}

// A script and its children end with the context, and the folder of the step is free again.
func TestPlain_ends(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	engine, container, at := plain(t, "echo started > AT/out/url; sleep 100 & sleep 100", &log)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(filepath.Join(at, "out", "url")); err == nil {
				stop()
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	result, err := engine.Run(ctx, container)
	require.NoError(t, err)
	assert.Equal(t, 143, result.ExitCode)
	assert.Empty(t, result.Outputs)
	assert.NoDirExists(t, at)
}
