package plugintest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/commands/local/plugintest"
)

// Update writes values that differ, and keeps all other bytes. A value of several lines is only reported.
func TestReport_update(t *testing.T) {
	t.Parallel()
	const written = "      - {step: provision, output: name, equals: store-small}\n"
	made, _, folder := suite(t, plugintest.Options{Select: regexp.MustCompile("/small$")},
		written, "      - step: provision # the first one\n        output: name\n        equals: |-\n          other\n\n          lines\n",
		"matches: store-.* seeded}", `equals: 'it''s'} # stays`,
		"spec:\n  plugin: store@^1\n", "spec:\n  skip: [create-twice, delete-twice, create-after-kill, delete-after-half-create]\n  plugin: store@^1\n")
	report, err := made.Run(t.Context(), machine(t))
	require.NoError(t, err)
	assert.Equal(t, 1, report.Failed)
	file := filepath.Join(folder, "test.yaml")
	before, err := os.ReadFile(file)
	require.NoError(t, err)
	read := func(name string) []byte {
		text, _ := os.ReadFile(filepath.FromSlash(name))
		return text
	}
	lines, err := report.Update(t.Context(), read)
	require.NoError(t, err)
	require.Len(t, lines, 2)
	assert.Contains(t, lines[0], "spec.cases[0].create.outputs[0].equals: a value of several lines must be changed by hand")
	assert.Contains(t, lines[1], "updated: ")
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, strings.Replace(string(before), `'it''s'`, `'store-small seeded'`, 1), string(after))
}
