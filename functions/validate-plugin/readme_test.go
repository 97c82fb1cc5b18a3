package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/rule"
)

// tableHead is where the table of the rules begins, up to the end of the page.
const tableHead = "| id | | documents | |\n|---|---|---|---|\n"

// The page lists the rules as the code has them. UPDATE_GOLDEN writes the list anew.
func TestReadmeListsTheRules(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("README.md")
	require.NoError(t, err)
	text, _, found := strings.Cut(string(page), tableHead)
	require.True(t, found, "the page has a table of rules")
	var table strings.Builder
	for _, r := range rule.Rules {
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", r.ID, r.Severity, strings.Join(r.Kinds(), ", "), r.Demand)
	}
	want := text + tableHead + table.String()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile("README.md", []byte(want), 0o644))
		return
	}
	assert.Equal(t, want, string(page), "run make golden")
}
