package incremental

import (
	"io/fs"
	"os"
	"syscall"
)

// systemFacts returns the facts of a file that only the system knows.
func systemFacts(info fs.FileInfo) facts {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return facts{}
	}
	return facts{Device: uint64(stat.Dev), Inode: stat.Ino, Changed: stat.Ctimespec.Nano()}
}

// isOwn reports whether a file or folder is the user's.
func isOwn(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
