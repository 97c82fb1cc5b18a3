//go:build linux

package runner

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestIsFull(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		system     syscall.Statfs_t
		root, want bool
	}{
		"free":              {syscall.Statfs_t{Blocks: 9, Bfree: 1, Bavail: 1, Files: 9, Ffree: 1}, false, false},
		"no blocks":         {syscall.Statfs_t{Blocks: 9, Files: 9, Ffree: 1}, false, true},
		"no blocks of root": {syscall.Statfs_t{Blocks: 9, Files: 9, Ffree: 1}, true, true},
		"reserved":          {syscall.Statfs_t{Blocks: 9, Bfree: 1, Files: 9, Ffree: 1}, false, true},
		"reserved for root": {syscall.Statfs_t{Blocks: 9, Bfree: 1, Files: 9, Ffree: 1}, true, false},
		"no inodes":         {syscall.Statfs_t{Blocks: 9, Bfree: 1, Bavail: 1, Files: 9}, true, true},
		"unlimited":         {syscall.Statfs_t{}, false, false},
		"unlimited files":   {syscall.Statfs_t{Blocks: 9, Bfree: 1, Bavail: 1}, false, false},
		"read-only":         {syscall.Statfs_t{Blocks: 9, Flags: syscall.MS_RDONLY | syscall.MS_NOSUID}, false, false},
	} {
		assert.Equal(t, test.want, isFull(&test.system, test.root), name)
	}
}
