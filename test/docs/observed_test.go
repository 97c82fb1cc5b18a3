package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

var observedSection = regexp.MustCompile(`(?s)(<!-- observed: [^\n]*\n).*?(<!-- end -->)`)

// The page shows the observations of end-to-end tests. UPDATE_GOLDEN updates it.
func TestObservedStatesAreOnThePage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(checkout.Root(), "test", "cluster", "e2e", "testdata", "observed.txt"))
	require.NoError(t, err)
	table := "| tool | situation | what it shows |\n|---|---|---|\n"
	for line := range strings.Lines(string(text)) {
		require.Len(t, strings.Split(line, " | "), 3, line)
		table += "| " + strings.TrimSpace(line) + " |\n"
	}
	file := filepath.Join(checkout.Root(), "docs", "explanation", "delivery.md")
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Len(t, observedSection.FindAll(page, -1), 1)
	want := observedSection.ReplaceAllString(string(page), "${1}\n"+table+"\n${2}")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
	}
	assert.Equal(t, want, string(page), "run make golden")
}
