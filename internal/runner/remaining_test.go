//go:build linux

package runner

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseStat(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		stat   string
		parent int
		name   string
		ok     bool
	}{
		"running":         {"12 (sleep) S 7 12 12 0 -1", 7, "sleep", true},
		"odd name":        {"12 (a) R 1 (b) R 7 12 12 0 -1", 7, "a) R 1 (b", true},
		"zombie":          {"12 (sleep) Z 7 12 12 0 -1", 0, "", false},
		"empty":           {"", 0, "", false},
		"cut off":         {"12 (sleep", 0, "", false},
		"without a state": {"12 (sleep)", 0, "", false},
	} {
		file := filepath.Join(t.TempDir(), "stat")
		require.NoError(t, os.WriteFile(file, []byte(test.stat), 0o600))
		process, parent, program, ok := parseStat(file)
		assert.Equal(t, test.ok, ok, name)
		assert.Equal(t, test.parent, parent, name)
		assert.Equal(t, test.name, program, name)
		assert.Equal(t, test.ok, process == 12, name)
	}
	_, _, _, ok := parseStat("/none")
	assert.False(t, ok)
}

func TestListed(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "a, b", listed([]string{"a", "b"}))
	assert.Equal(t, "a, b, c, d, e and 2 more", listed([]string{"a", "b", "c", "d", "e", "f", "g"}))
}
