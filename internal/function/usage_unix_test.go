//go:build unix

package function

import (
	"os"
	"syscall"
)

// peakMemory returns the peak memory of a process that ended, in KiB on Linux.
func peakMemory(state *os.ProcessState) int64 { return state.SysUsage().(*syscall.Rusage).Maxrss }
