// Package manual compares the documentation of a function with its code: metadata.yaml, krm-function-metadata.yaml, the config
// table and sections of its README, and --help. UPDATE_GOLDEN updates the generated parts.
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
	"github.com/resource-plugins/krm-functions/internal/function/importplugin"
	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/internal/function/rendersandbox"
	"github.com/resource-plugins/krm-functions/internal/function/resolveversion"
	"github.com/resource-plugins/krm-functions/internal/function/validateplugin"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// --help must fit on a screen of this size.
const (
	screenLines   = 60
	screenColumns = 100
)

var functions = []cli.Function{
	validateplugin.New(), resolveversion.New(), renderphase.New(), rendersandbox.New(), importplugin.New(),
}

// The documentation of each function matches its code.
func TestManual(t *testing.T) {
	t.Parallel()
	folders, err := filepath.Glob(filepath.Join(checkout.Root(), "functions", "*", "main.go"))
	require.NoError(t, err)
	require.Len(t, folders, len(functions))
	for _, f := range functions {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			t.Run("metadata", func(t *testing.T) { checkMetadata(t, f) })
			t.Run("definition", func(t *testing.T) { checkDefinition(t, f) })
			t.Run("config table", func(t *testing.T) { checkTable(t, f) })
			t.Run("sections", func(t *testing.T) { checkSections(t, f) })
			t.Run("help", func(t *testing.T) { checkHelp(t, f) })
		})
	}
}

// fileOf returns the path of a file in a function's folder.
func fileOf(f cli.Function, name string) string {
	return filepath.Join(checkout.Root(), "functions", f.Name, name)
}

func readme(t *testing.T, f cli.Function) string {
	t.Helper()
	text, err := os.ReadFile(fileOf(f, "README.md"))
	require.NoError(t, err)
	return string(text)
}

// golden compares generated text with its file.
func golden(t *testing.T, file, text string) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	got, err := os.ReadFile(file)
	require.NoError(t, err, "run make golden")
	assert.Equal(t, text, string(got), "%s: run make golden", file)
}

// checkSections checks that the README has the sections that every function has.
func checkSections(t *testing.T, f cli.Function) {
	t.Helper()
	page := readme(t, f)
	assert.True(t, strings.HasPrefix(page, "# "+f.Name+"\n"), "the title must be the function's name")
	for _, section := range []string{"Config", "kustomize", "kpt", "Results"} {
		assert.Contains(t, page, "\n## "+section+"\n")
	}
	words := strings.Join(strings.Fields(page), " ")
	assert.Contains(t, words, "The exit code is 0 without errors, 1 with errors, and 2 if the call is invalid.")
	assert.Contains(t, page, "```console\n$ "+f.Name, "the README must have an example")
}

// checkHelp checks that --help fits on a screen.
func checkHelp(t *testing.T, f cli.Function) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	require.Zero(t, f.Run(t.Context(), []string{"--help"}, strings.NewReader(""), &stdout, &stderr), stderr.String())
	lines := strings.Split(strings.TrimSuffix(stdout.String(), "\n"), "\n")
	assert.LessOrEqual(t, len(lines), screenLines, stdout.String())
	for _, line := range lines {
		assert.LessOrEqual(t, len([]rune(line)), screenColumns, line)
	}
}
