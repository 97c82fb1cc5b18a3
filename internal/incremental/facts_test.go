package incremental

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A file that was changed just before it was read may change again without new times. Kernels and file systems have clocks of
// different precision.
func TestFactsSettle(t *testing.T) {
	t.Parallel()
	read := time.Date(2026, 1, 20, 12, 0, 10, 500_000_000, time.UTC)
	for _, c := range []struct {
		age     time.Duration
		settled bool
	}{
		{0, false},
		{50 * time.Millisecond, false},
		{101 * time.Millisecond, true},
		{500 * time.Millisecond, false}, // a whole second
		{1500 * time.Millisecond, false},
		{1501 * time.Millisecond, true},
		{2500 * time.Millisecond, true},
		{-time.Hour, false}, // of a clock that is ahead
	} {
		f := facts{Inode: 1, Changed: read.Add(-c.age).UnixNano(), Taken: read.UnixNano()}
		assert.Equal(t, c.settled, f.isSettled(), c.age)
		assert.Equal(t, c.settled, f.isSame(f), c.age)
	}
	assert.False(t, facts{}.isSame(facts{}), "no file")
}

// Each change of a file gives it other facts: also one that keeps its length and its time of modification, and one of the
// file that has its name.
func TestFactsDiffer(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(name, []byte("one"), 0o600))
	before := factsOf(name)
	for _, change := range []func() error{
		func() error { return os.WriteFile(name, []byte("two"), 0o600) },
		func() error { return os.WriteFile(name, []byte("longer"), 0o600) },
		func() error { return os.Chmod(name, 0o644) },
		func() error {
			if err := os.WriteFile(name+"2", []byte("longer"), 0o644); err != nil {
				return err
			}
			return os.Rename(name+"2", name)
		},
		func() error { return os.Remove(name) },
	} {
		time.Sleep(20 * time.Millisecond) // more than the precision of the clock
		require.NoError(t, change())
		if _, err := os.Lstat(name); err == nil {
			require.NoError(t, os.Chtimes(name, time.Unix(0, before.Modified), time.Unix(0, before.Modified)))
		}
		now := factsOf(name)
		assert.False(t, before.equal(now))
		before = now
	}
	assert.Equal(t, facts{}, before)
}
