package atomicfile

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A spool returns the text that was written to it, in memory or in a file, and leaves nothing behind.
func TestSpool(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	t.Setenv("TMP", folder)
	for _, size := range []int{0, 1, maxHeld, maxHeld + 1, 3*maxHeld + 12345} {
		var spool Spool
		var want bytes.Buffer
		for piece := strings.Repeat("0123456789abcdef\n", 1000); want.Len() < size; {
			piece = piece[:min(len(piece), size-want.Len())]
			want.WriteString(piece)
			n, err := spool.Write([]byte(piece))
			require.NoError(t, err)
			require.Equal(t, len(piece), n)
		}
		assert.EqualValues(t, size, spool.Len())
		assert.Equal(t, size > maxHeld, spool.file != nil)
		if spool.file == nil || filepath.Separator == '/' {
			assert.Empty(t, names(t, folder), "a process that is killed would leave it")
		}
		var got bytes.Buffer
		n, err := spool.WriteTo(&got)
		require.NoError(t, err)
		assert.EqualValues(t, size, n)
		assert.True(t, bytes.Equal(want.Bytes(), got.Bytes()))
		require.NoError(t, spool.Close())
		assert.Empty(t, names(t, folder))
	}
}

func TestSpool_withoutFolder(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	t.Setenv("TMPDIR", none)
	t.Setenv("TMP", none)
	var spool Spool
	_, err := spool.Write(make([]byte, maxHeld+1))
	require.ErrorContains(t, err, "set TMPDIR")
	assert.NoError(t, spool.Close())
}

func names(t *testing.T, folder string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return all
}
