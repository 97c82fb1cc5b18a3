// Package manual keeps what is written about a function true to its code: its metadata.yaml, the config table and the
// sections of its README, and its --help. Every function's tests call Check. UPDATE_GOLDEN writes anew what is generated.
package manual

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/test/checkout"
)

// The size of a screen that a --help fits.
const (
	screenLines   = 40
	screenColumns = 100
)

// Check compares the manual of a function with the function.
func Check(t *testing.T, f cli.Function) {
	t.Helper()
	t.Run("metadata", func(t *testing.T) { checkMetadata(t, f) })
	t.Run("config table", func(t *testing.T) { checkTable(t, f) })
	t.Run("sections", func(t *testing.T) { checkSections(t, f) })
	t.Run("help", func(t *testing.T) { checkHelp(t, f) })
}

// fileOf is the path of a file in a function's folder.
func fileOf(f cli.Function, name string) string {
	return filepath.Join(checkout.Root(), "functions", f.Name, name)
}

func readme(t *testing.T, f cli.Function) string {
	t.Helper()
	text, err := os.ReadFile(fileOf(f, "README.md"))
	require.NoError(t, err)
	return string(text)
}

// golden compares a generated text with its file.
func golden(t *testing.T, file, text string) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	got, err := os.ReadFile(file)
	require.NoError(t, err, "run make golden")
	assert.Equal(t, text, string(got), "%s: run make golden", file)
}

// checkSections asks for what a reader looks for on the page of any function.
func checkSections(t *testing.T, f cli.Function) {
	t.Helper()
	page := readme(t, f)
	assert.True(t, strings.HasPrefix(page, "# "+f.Name+"\n"), "the title must be the function's name")
	for _, section := range []string{"Config", "kustomize", "kpt", "Results"} {
		assert.Contains(t, page, "\n## "+section+"\n")
	}
	words := strings.Join(strings.Fields(page), " ")
	assert.Contains(t, words, "Exit code 0 without an error, 1 with one, 2 where the call itself is wrong.")
	assert.Contains(t, page, "```console\n$ "+f.Name, "an example must be run")
}

// checkHelp holds that --help fits a screen.
func checkHelp(t *testing.T, f cli.Function) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	require.Zero(t, f.Run([]string{"--help"}, strings.NewReader(""), &stdout, &stderr), stderr.String())
	lines := strings.Split(strings.TrimSuffix(stdout.String(), "\n"), "\n")
	assert.LessOrEqual(t, len(lines), screenLines, stdout.String())
	for _, line := range lines {
		assert.LessOrEqual(t, len([]rune(line)), screenColumns, line)
	}
}
