package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// Each row of the table of threats refers to existing tests, and describes the remaining risk.
func TestThreatsNameTests(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(checkout.Root(), "docs/explanation/security.md"))
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(page), "## Threats\n")
	require.True(t, found)
	section, _, _ := strings.Cut(rest, "\n## ")
	name := regexp.MustCompile("`(Test[A-Za-z_]+)`")
	rows := 0
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| who") {
			continue
		}
		rows++
		require.Len(t, cells, 4, line)
		tests := name.FindAllStringSubmatch(cells[2], -1)
		assert.NotEmpty(t, tests, line)
		assert.NotEmpty(t, strings.TrimSpace(cells[3]), line)
		for _, test := range tests {
			find := exec.Command("git", "grep", "-qE", "^func "+test[1]+`\(`, "--", "*_test.go")
			find.Dir = checkout.Root()
			require.NoError(t, find.Run(), "there is no %s", test[1])
		}
	}
	assert.Greater(t, rows, 12)
}
