package architecture

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pinned is an action at a commit, with its version as a comment: a tag can be moved.
var pinned = regexp.MustCompile(`uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)

func TestWorkflowsUseActionsAtCommits(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../.github/workflows/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, "uses:") {
				assert.Regexp(t, pinned, strings.TrimSpace(line), file)
			}
		}
		assert.Equal(t, strings.Count(string(text), "uses: actions/checkout@"), strings.Count(string(text), "persist-credentials: false"),
			"%s: a checkout must not leave its token", file)
	}
}
