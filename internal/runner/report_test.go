package runner_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/runner"
)

func TestFailAppendsToTheTerminationMessage(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log")
	require.NoError(t, os.WriteFile(log, []byte("what the script wrote\n"), 0o600))
	var stderr bytes.Buffer
	reporter := runner.Reporter{Stderr: &stderr, TerminationLog: log}
	reporter.Log("one thing")
	reporter.Fail("it\nfailed\x1b[31m")
	message, err := os.ReadFile(log)
	require.NoError(t, err)
	assert.Equal(t, "what the script wrote\nit failed [31m\n", string(message))
	assert.Equal(t, "resourceplugins: one thing\nresourceplugins: it failed [31m\n", stderr.String())
}

func TestFailDoesNotCreateTheTerminationLog(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log")
	var stderr bytes.Buffer
	runner.Reporter{Stderr: &stderr, TerminationLog: log}.Fail("it failed")
	assert.NoFileExists(t, log)
	assert.NotEmpty(t, stderr.String())
}

func TestLongMessagesAreTruncated(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log")
	require.NoError(t, os.WriteFile(log, nil, 0o600))
	runner.Reporter{Stderr: &bytes.Buffer{}, TerminationLog: log}.Fail(strings.Repeat("x", 10_000))
	message, err := os.ReadFile(log)
	require.NoError(t, err)
	assert.LessOrEqual(t, len(message), 4096)
}
