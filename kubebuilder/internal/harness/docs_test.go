package harness_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/kubebuilder/internal/harness"
)

// The page for authors of plugins lists the checks. UPDATE_GOLDEN updates the list.
func TestPageListsTheChecks(t *testing.T) {
	t.Parallel()
	const page, start, end = "../../../docs/reference/kubebuilder.md", "<!-- checks: from kubebuilder/internal/harness -->\n", "<!-- end of checks -->\n"
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), start)
	require.True(t, found)
	_, after, found := strings.Cut(rest, end)
	require.True(t, found)
	var table strings.Builder
	table.WriteString("\n| check | a plugin | why |\n|---|---|---|\n")
	for _, check := range harness.Explained() {
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", check.ID, check.Demand, check.Why)
	}
	want := before + start + table.String() + "\n" + end + after
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(page, []byte(want), 0o644))
		return
	}
	assert.Equal(t, want, string(text), "run make golden")
}
