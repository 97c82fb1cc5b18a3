//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// observed has a line for each state of a delivery tool that these tests have seen, TOOL | SITUATION | STATE. The page
// docs/explanation/delivery.md shows them as a table.
const observed = "testdata/observed.txt"

var observedMutex sync.Mutex

// observe checks that a tool shows a state in a situation as the page says. UPDATE_GOLDEN adds the observed states.
func observe(t *testing.T, tool, situation, state string) {
	t.Helper()
	observedMutex.Lock()
	defer observedMutex.Unlock()
	text, err := os.ReadFile(observed)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	key := tool + " | " + situation + " | "
	if os.Getenv("UPDATE_GOLDEN") != "" {
		lines = append(slices.DeleteFunc(lines, func(line string) bool { return line == "" || strings.HasPrefix(line, key) }), key+state)
		slices.Sort(lines)
		require.NoError(t, os.WriteFile(observed, []byte(strings.Join(lines, "\n")+"\n"), 0o644))
	}
	assert.Contains(t, lines, key+state, "%s: UPDATE_GOLDEN=1 make e2e E2E=%s", filepath.Base(observed), t.Name())
}
