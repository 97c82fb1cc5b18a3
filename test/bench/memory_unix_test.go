//go:build unix

package bench

import (
	"os"
	"syscall"
)

// peakMemory returns the peak memory of a process that ended, in bytes.
func peakMemory(state *os.ProcessState) int64 { return state.SysUsage().(*syscall.Rusage).Maxrss << 10 }
