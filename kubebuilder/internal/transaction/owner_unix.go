//go:build unix

package transaction

import (
	"io/fs"
	"os"
	"syscall"
)

// isPrivate reports whether only this user can write to a file or folder.
func isPrivate(info fs.FileInfo) bool {
	stat, isStat := info.Sys().(*syscall.Stat_t)
	return isStat && int(stat.Uid) == os.Geteuid() && info.Mode().Perm()&0o022 == 0
}
