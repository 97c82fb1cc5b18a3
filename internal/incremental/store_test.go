package incremental

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The limits of the decoder are not those of an index: paths of Linux are bytes, and a list may have more elements than the
// decoder accepts by default.
func TestStore_keepsAnyPathAndManySandboxes(t *testing.T) {
	t.Parallel()
	s := &store{folder: filepath.Join(t.TempDir(), "cache"), name: "index", keyFolder: filepath.Join(t.TempDir(), "key")}
	written := &index{Files: []file{{Path: "\xff\xfe.yaml"}}, Sandboxes: slices.Repeat([]entry{{Key: "a"}}, 200_000)}
	require.NoError(t, s.write(t.Context(), written))
	read, err := s.read()
	require.NoError(t, err)
	assert.Equal(t, written.Files, read.Files)
	assert.Len(t, read.Sandboxes, 200_000)
}
