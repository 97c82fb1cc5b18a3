//go:build unix

package function

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// spentCPU returns the time that all cores have spent on this process.
func spentCPU(tb testing.TB) time.Duration {
	tb.Helper()
	var usage syscall.Rusage
	require.NoError(tb, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// peakMemory returns the peak memory of a process that ended, in KiB on Linux.
func peakMemory(state *os.ProcessState) int64 { return state.SysUsage().(*syscall.Rusage).Maxrss }
